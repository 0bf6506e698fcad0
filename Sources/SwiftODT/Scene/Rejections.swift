/// What detectors proposed and nobody was told of, and why: the first thing to ask where nothing is found.
public struct Rejections: Sendable {
    /// Why something was not reported.
    public enum Reason: String, CaseIterable, Sendable {
        /// Too weak to begin an object, and none was expected there.
        case belowThreshold = "below-threshold"
        case tooSmall = "too-small"
        case tooLarge = "too-large"
        /// By the list of labels that are wanted, or of those that are not.
        case notAllowed = "not-allowed"
        /// Where a zone says that nothing counts.
        case ignored
        /// An object that went before it had been seen often enough.
        case unconfirmed
    }

    /// One of them.
    public struct Candidate: Sendable {
        public let label: Label?
        public let score: Double
        public let reason: Reason
    }

    private var counts = [Int](repeating: 0, count: Reason.allCases.count)
    /// The surest of all; the first of those that are equally sure.
    public private(set) var best: Candidate?

    public init() {}

    /// Those of some detections that are too weak.
    public init(_ detections: [Detection], below threshold: Double) {
        for detection in detections where detection.score < threshold {
            add(.belowThreshold, label: detection.label, score: detection.score)
        }
    }

    public subscript(reason: Reason) -> Int { counts[reason.index] }

    public var isEmpty: Bool { best == nil }

    mutating func add(_ reason: Reason, label: Label?, score: Double) {
        counts[reason.index] += 1
        if score > best?.score ?? -.infinity { best = Candidate(label: label, score: score, reason: reason) }
    }

    public mutating func add(_ others: Rejections) {
        for reason in Reason.allCases { counts[reason.index] += others[reason] }
        if let other = others.best, other.score > best?.score ?? -.infinity { best = other }
    }

    mutating func removeAll() {
        for index in counts.indices { counts[index] = 0 }
        best = nil
    }

    /// Why nothing was found, for people: `nothing from 0.4 up; the best was person, 0.31`.
    public func explanation(threshold: Double) -> String {
        guard let best else { return "nothing from \(threshold) up, nor anything weaker" }
        let candidate = "\(best.label?.text ?? "a thing without a name"), \(Self.rounded(best.score))"
        return switch best.reason {
        case .belowThreshold: "nothing from \(threshold) up; the best was \(candidate)"
        case .tooSmall: "nothing large enough; the best was \(candidate), smaller than min-area"
        case .tooLarge: "nothing small enough; the best was \(candidate), larger than max-area"
        case .notAllowed: "nothing that is wanted; the best was \(candidate), which the lists of labels leave out"
        case .ignored: "nothing outside of what zones ignore; the best was \(candidate)"
        case .unconfirmed: "nothing for long enough; the best was \(candidate), seen less often than track-min-hits asks"
        }
    }

    /// Never up to a threshold that it did not reach.
    private static func rounded(_ score: Double) -> Double { (score * 100).rounded(.down) / 100 }
}

extension Rejections.Reason {
    fileprivate var index: Int {
        switch self {
        case .belowThreshold: 0
        case .tooSmall: 1
        case .tooLarge: 2
        case .notAllowed: 3
        case .ignored: 4
        case .unconfirmed: 5
        }
    }
}
