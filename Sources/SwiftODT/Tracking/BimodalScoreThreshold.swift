/// Where a stream's scores part into what is there and what is not.
///
/// Many detectors speak in two heaps: things, which they are sure of, and a crowd of weak boxes beside and between things. How sure
/// is sure differs from detector to detector and from street to street, but the valley between the heaps shows it: what lies below
/// is more likely of the heap of noise. A detector that leaves its noise out has no such heap, and weak things for the rest of its
/// scores: there is no valley, and nothing is asked beyond what the user does.
///
/// Costs an addition a detection, and some twenty steps an answer.
struct BimodalScoreThreshold: Sendable {
    /// How many detections there were lately, by score, from the second place on. Those that their neighbours explain count by what
    /// is left.
    private var counts = SIMD32<Float>.zero
    /// How many answers those came in.
    private var answers: Float = 0
    private var latest: Nanoseconds?

    mutating func learn(from detections: UnsafeBufferPointer<FilteredDetection>, at time: Nanoseconds) {
        if let latest {
            let kept = Float(Self.memory / (Self.memory + Double(max(0, time - latest)) / 1e9))
            counts *= kept
            answers *= kept
        }
        latest = time
        answers += 1
        for detection in detections {
            counts[1 + min(max(0, Int(detection.ownScore * Self.bins)), Int(Self.bins) - 1)] += 1
        }
    }

    /// From which score on detections are sure: the valley's end where there is one a little above the user's threshold, else that.
    func effectiveThreshold(from threshold: Double) -> Double {
        guard (0...1).contains(threshold) else { return threshold }
        let first = Int(threshold * Self.bins)
        let end = Int(min(Self.certain, Self.maximum * threshold) * Self.bins)
        guard first < end, counts.sum() >= Self.minimumCount else { return threshold }
        return withUnsafeBytes(of: counts) { bytes in
            // As plain figures: each subscript of a vector is a copy of all of it.
            let counts = bytes.bindMemory(to: Float.self)
            guard Self.sum(counts, below: end) >= Self.crowd * answers else { return threshold }
            var lowest = first
            for bin in first..<end where Self.height(counts, bin) < Self.height(counts, lowest) { lowest = bin }
            let depth = Self.height(counts, lowest)
            guard Self.sum(counts, below: lowest) >= Self.crowd * answers,
                (0..<lowest).contains(where: { Self.height(counts, $0) >= Self.noise * depth }),
                (lowest + 1..<Int(Self.bins)).contains(where: {
                    Self.height(counts, $0) >= Self.objects * depth
                })
            else { return threshold }
            return Double(lowest + 1) / Self.bins
        }
    }

    @inline(__always)
    private static func sum(_ counts: UnsafeBufferPointer<Float>, below end: Int) -> Float {
        var sum: Float = 0
        for bin in 0..<end { sum += counts[bin + 1] }
        return sum
    }

    /// A bin's count with its neighbours', so that a gap by chance is no valley.
    @inline(__always)
    private static func height(_ counts: UnsafeBufferPointer<Float>, _ bin: Int) -> Float {
        counts[bin + 1] / 2 + (counts[bin] + counts[bin + 2]) / 4
    }

    /// Of one twentieth each.
    private static let bins = 20.0
    /// Within so many seconds detections fade to a third: light changes, and cameras turn.
    private static let memory = 60.0
    /// Fewer detections tell nothing of heaps.
    private static let minimumCount: Float = 200
    /// So many times as high as the valley is the heap of noise at least, and that of things: who is rarely sure has no valley.
    private static let noise: Float = 3
    private static let objects: Float = 4.5
    /// So many weak boxes come in one answer where they are noise. Fewer may be some weak things, seen again and again.
    private static let crowd: Float = 3
    /// Times the user's threshold: more is never asked; nor more than a score that speaks for itself anywhere.
    private static let maximum = 1.5
    private static let certain = 0.6
}
