/// Raises the score threshold if the stream's scores are bimodal.
///
/// Many detectors return high scores for objects, and a cluster of low scores for spurious boxes beside and between
/// objects. The valley between the two modes separates objects from spurious boxes. The position of the valley depends
/// on the detector and the scene. Without a cluster of low scores there is no valley, and the user's threshold applies.
struct BimodalScoreThreshold: Sendable {
    /// The histogram of the scores of recent detections, with an empty bin at either end. The scores are already
    /// reduced by soft NMS, see ``DetectionPreFilter``.
    private var counts = SIMD32<Float>.zero
    /// The number of results that were added to ``counts``. It decays with time at the same rate as the counts.
    private var results: Float = 0
    private var latest: Nanoseconds?

    mutating func learn(from detections: UnsafeBufferPointer<FilteredDetection>, at time: Nanoseconds) {
        if let latest {
            let kept = Float(
                TrackerTuning.scoreMemory / (TrackerTuning.scoreMemory + Double(max(0, time - latest)) / 1e9))
            counts *= kept
            results *= kept
        }
        latest = time
        results += 1
        for detection in detections {
            counts[1 + min(max(0, Int(detection.ownScore * Self.bins)), Int(Self.bins) - 1)] += 1
        }
    }

    /// Returns the upper edge of the lowest histogram bin in the valley, or the user's `threshold` if there is no
    /// valley.
    func effectiveThreshold(from threshold: Double) -> Double {
        guard (0...1).contains(threshold) else { return threshold }
        let first = Int(threshold * Self.bins)
        let end = Int(min(TrackerTuning.valleyLimit, TrackerTuning.valleyFactor * threshold) * Self.bins)
        guard first < end, counts.sum() >= TrackerTuning.valleySamples else { return threshold }
        return withUnsafeBytes(of: counts) { bytes in
            // Reads the counts as an array, because each subscript of a SIMD vector copies the vector.
            let counts = bytes.bindMemory(to: Float.self)
            guard counts[1...end].reduce(0, +) >= TrackerTuning.valleyCrowd * results else { return threshold }
            var lowest = first
            for bin in first..<end where Self.height(counts, bin) < Self.height(counts, lowest) { lowest = bin }
            let depth = Self.height(counts, lowest)
            guard counts[1..<lowest + 1].reduce(0, +) >= TrackerTuning.valleyCrowd * results,
                (0..<lowest).contains(where: { Self.height(counts, $0) >= TrackerTuning.valleyNoise * depth }),
                (lowest + 1..<Int(Self.bins)).contains(where: {
                    Self.height(counts, $0) >= TrackerTuning.valleyObjects * depth
                })
            else { return threshold }
            return Double(lowest + 1) / Self.bins
        }
    }

    /// Returns the count of a histogram bin, smoothed with the neighbouring bins. A random gap thus does not count as a
    /// valley.
    @inline(__always)
    private static func height(_ counts: UnsafeBufferPointer<Float>, _ bin: Int) -> Float {
        counts[bin + 1] / 2 + (counts[bin] + counts[bin + 2]) / 4
    }

    /// The number of histogram bins. Each bin covers a score range of 0.05.
    private static let bins = 20.0
}
