/// Maps output positions to source pixels along one axis of a region, with half-pixel centres as in bilinear resizing.
struct AxisSampling {
    /// The first pixel of the region.
    let start: Int
    /// The number of pixels in the region.
    let length: Int
    /// The number of outputs.
    let count: Int
    /// Whether the outputs are mirrored: the first output then maps to the end of the region.
    let reversed: Bool

    /// The two neighbouring samples (`first` and `first + 1`) that an output is interpolated from. `weight` is the
    /// weight of the second sample, 0 to below 1.
    struct Tap {
        var first: Int
        var weight: Double
    }

    /// Returns the samples of an output for a component that is subsampled by 2^`shift` along this axis. Outputs beyond
    /// the region's outermost samples use these samples.
    func tap(_ output: Int, shift: Int) -> Tap {
        // Integer arithmetic gives a weight of exactly 0 for an output that coincides with a sample.
        let number = reversed ? count - 1 - output : output
        let unit = 2 * count << shift
        let position = 2 * start * count + (2 * number + 1) * length - unit / 2
        let samples = self.samples(shift: shift)
        let first = position >= 0 ? position / unit : -1
        guard first >= samples.lowerBound else { return Tap(first: samples.lowerBound, weight: 0) }
        guard first < samples.upperBound else { return Tap(first: samples.upperBound, weight: 0) }
        return Tap(first: first, weight: Double(position % unit) / Double(unit))
    }

    /// Returns the range of a component's samples that the region covers.
    func samples(shift: Int) -> ClosedRange<Int> {
        (start >> shift)...((start + length - 1) >> shift)
    }
}
