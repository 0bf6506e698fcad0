/// The detections and tracks that were not reported, by reason. They explain an empty result.
package struct Rejections: Sendable {
    package enum Reason: String, CaseIterable, Sendable {
        /// The score is below the threshold, and the detection matches no track.
        case belowThreshold = "below-threshold"
        case tooSmall = "too-small"
        case tooLarge = "too-large"
        case notAllowed = "not-allowed"
        /// The object is inside a zone of the kind `ignore`.
        case ignored
        case unconfirmed
    }

    package struct Candidate: Sendable {
        package let label: Label?
        package let score: Double
        package let reason: Reason
    }

    private var counts: [Reason: Int] = [:]
    /// The candidate with the highest score. If several candidates have this score, it is the first of them.
    package private(set) var best: Candidate?

    package init() {}

    package init(_ detections: [Detection], below threshold: Double) {
        for detection in detections where detection.score < threshold {
            add(.belowThreshold, label: detection.label, score: detection.score)
        }
    }

    package subscript(reason: Reason) -> Int { counts[reason] ?? 0 }

    package var isEmpty: Bool { best == nil }

    mutating func add(_ reason: Reason, label: Label?, score: Double) {
        counts[reason, default: 0] += 1
        if score > best?.score ?? -.infinity { best = Candidate(label: label, score: score, reason: reason) }
    }

    package mutating func add(_ others: Rejections) {
        for reason in Reason.allCases { counts[reason, default: 0] += others[reason] }
        if let other = others.best, other.score > best?.score ?? -.infinity { best = other }
    }

    mutating func removeAll() {
        counts.removeAll(keepingCapacity: true)
        best = nil
    }

    /// Returns a text that explains an empty result. It names the reason and the score of the best candidate.
    package func explanation(threshold: Double) -> String {
        guard let best else { return "no object has a score of at least \(threshold), and no weaker detections" }
        let score = Self.rounded(best.score, threshold: threshold)
        let candidate = "\(best.label?.text ?? "an unlabelled object"), \(score)"
        return switch best.reason {
        case .belowThreshold: "no object has a score of at least \(threshold); the best was \(candidate)"
        case .tooSmall: "no object is large enough; the best was \(candidate), smaller than min-area"
        case .tooLarge: "no object is small enough; the best was \(candidate), larger than max-area"
        case .notAllowed:
            "no object has a wanted label; the best was \(candidate), which label-allowlist or label-denylist excludes"
        case .ignored: "no object is outside the zones of the kind ignore; the best was \(candidate)"
        case .unconfirmed: "no object was detected as often as track-min-hits requires; the best was \(candidate)"
        }
    }

    /// Rounds to two digits. A score below the threshold is rounded down if it would otherwise look like the threshold.
    private static func rounded(_ score: Double, threshold: Double) -> Double {
        let nearest = (score * 100).rounded() / 100
        return score < threshold && nearest >= threshold ? (score * 100).rounded(.down) / 100 : nearest
    }
}

/// Counts the objects that were not reported because of ``SceneOptions/maxObjects``.
package struct LeftOutObjects: Hashable, Sendable {
    /// The number of objects that were left out. Each track counts once, even if it was left out in many frames.
    /// Without tracking, each detection counts.
    package private(set) var objects = 0
    package private(set) var frames = 0
    /// The maximum number of objects in one frame, both reported and left out. With this value of
    /// ``SceneOptions/maxObjects``, no object would have been left out.
    package private(set) var mostInAFrame = 0

    /// The ids of the tracks that are counted and have not ended.
    private var counted: Set<Int> = []

    /// Counts the objects that were left out of one frame. `reported` is the number of objects that were reported in
    /// the frame.
    mutating func note(_ tracks: [Track], beside reported: Int) {
        guard !tracks.isEmpty else { return }
        frames += 1
        mostInAFrame = max(mostInAFrame, reported + tracks.count)
        for track in tracks {
            // Without tracking, an object is reported until the next result. It is counted only in its first frame.
            let isNew = track.id.map { counted.insert($0).inserted } ?? (track.state == .new)
            if isNew { objects += 1 }
        }
    }

    mutating func forget(_ id: Int) { counted.remove(id) }
}
