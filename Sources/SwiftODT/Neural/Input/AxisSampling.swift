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
        let fraction = (Double(reversed ? count - 1 - output : output) + 0.5) / Double(count)
        let position = (Double(start) + fraction * Double(length)) / Double(1 << shift) - 0.5
        let samples = self.samples(shift: shift)
        guard position > Double(samples.lowerBound) else { return Tap(first: samples.lowerBound, weight: 0) }
        guard position < Double(samples.upperBound) else { return Tap(first: samples.upperBound, weight: 0) }
        let first = Int(position)
        return Tap(first: first, weight: position - Double(first))
    }

    /// The samples of a component that the region covers.
    func samples(shift: Int) -> ClosedRange<Int> {
        (start >> shift)...((start + length - 1) >> shift)
    }
}
