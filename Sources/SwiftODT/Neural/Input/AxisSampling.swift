/// How the outputs along one axis of the buffer are spread over the pixels of the looked-at region: half-pixel centres, both ends
/// mapped to the region's edges.
struct AxisSampling {
    /// First pixel of the region.
    let start: Int
    /// Pixels of the region.
    let length: Int
    /// How many outputs there are.
    let count: Int
    /// Whether the first output lies at the far end.
    let reversed: Bool

    /// The two neighbouring samples that an output is interpolated from, and the weight of the second, 0..<1.
    struct Tap {
        var first: Int
        var weight: Double
    }

    /// Where an output lies between the samples of a component that is halved `shift` times along this axis. Beyond the region's
    /// outermost samples the picture goes on unchanged.
    func tap(_ output: Int, shift: Int) -> Tap {
        // In whole numbers, so that an output that lies on a sample is that sample and nothing else.
        let number = reversed ? count - 1 - output : output
        let unit = 2 * count << shift
        let position = 2 * start * count + (2 * number + 1) * length - unit / 2
        let samples = self.samples(shift: shift)
        let first = position >= 0 ? position / unit : -1
        guard first >= samples.lowerBound else { return Tap(first: samples.lowerBound, weight: 0) }
        guard first < samples.upperBound else { return Tap(first: samples.upperBound, weight: 0) }
        return Tap(first: first, weight: Double(position % unit) / Double(unit))
    }

    /// The samples of a component that the region covers.
    func samples(shift: Int) -> ClosedRange<Int> {
        (start >> shift)...((start + length - 1) >> shift)
    }
}
