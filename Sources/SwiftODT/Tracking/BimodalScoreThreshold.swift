/// Raises the score threshold if the stream's scores are bimodal. Many detectors return a cluster of low scores for
/// spurious boxes. The valley between this cluster and the scores of objects depends on the detector and the scene.
struct BimodalScoreThreshold: Sendable {
    /// The histogram of the recent scores after soft NMS, with an empty bin at either end.
    private var counts = ContiguousArray<Float>(repeating: 0, count: Int(bins) + 2)
    /// The number of results in ``counts``. The number decays at the same rate as the counts.
    private var results: Float = 0
    private var latest: Nanoseconds?

    mutating func learn(from detections: UnsafeBufferPointer<FilteredDetection>, at time: Nanoseconds) {
        if let latest {
            let kept = Float(
                TrackerTuning.scoreMemory / (TrackerTuning.scoreMemory + Double(max(0, time - latest)) / 1e9))
            for bin in counts.indices { counts[bin] *= kept }
            results *= kept
        }
        latest = time
        results += 1
        for detection in detections {
            counts[1 + min(max(0, Int(detection.ownScore * Self.bins)), Int(Self.bins) - 1)] += 1
        }
    }

    /// Returns the upper edge of the lowest bin in the valley, or the user's `threshold` if there is no valley.
    func effectiveThreshold(from threshold: Double) -> Double {
        guard (0...1).contains(threshold) else { return threshold }
        let first = Int(threshold * Self.bins)
        let end = Int(min(TrackerTuning.valleyLimit, TrackerTuning.valleyFactor * threshold) * Self.bins)
        guard first < end, counts.reduce(0, +) >= TrackerTuning.valleySamples,
            counts[1...end].reduce(0, +) >= TrackerTuning.valleyCrowd * results
        else { return threshold }
        var lowest = first
        for bin in first..<end where height(bin) < height(lowest) { lowest = bin }
        let depth = height(lowest)
        guard counts[1..<lowest + 1].reduce(0, +) >= TrackerTuning.valleyCrowd * results,
            (0..<lowest).contains(where: { height($0) >= TrackerTuning.valleyNoise * depth }),
            (lowest + 1..<Int(Self.bins)).contains(where: { height($0) >= TrackerTuning.valleyObjects * depth })
        else { return threshold }
        return Double(lowest + 1) / Self.bins
    }

    /// Returns the count of a bin, smoothed with its neighbours, so that a random gap does not count as a valley.
    private func height(_ bin: Int) -> Float { counts[bin + 1] / 2 + (counts[bin] + counts[bin + 2]) / 4 }

    private static let bins = 20.0
}
