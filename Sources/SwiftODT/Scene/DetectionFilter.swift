/// Drops the detections that nobody asked for or that make no sense.
public struct DetectionFilter: Hashable, Sendable {
    /// Lower-cased labels; empty lets all pass. Detections without a label are not judged by it.
    public var allowlist: Set<String> = []
    /// Lower-cased labels.
    public var denylist: Set<String> = []
    /// Fraction of the picture.
    public var minArea = 0.0
    /// Fraction of the picture.
    public var maxArea = 1.0

    /// What the lists call things that the detector has no name for, see ``SceneOptions/unknownObjects``.
    public static let unknown = "unknown"

    public init() {}

    /// Whether things that the detector has no name for are wanted: who lists what is wanted has to list them, too.
    public var wantsUnknown: Bool {
        (allowlist.isEmpty || allowlist.contains(Self.unknown)) && !denylist.contains(Self.unknown)
    }

    /// Reads a comma-separated list of labels.
    public static func labels(in text: String) -> Set<String> {
        Set(text.split(separator: ",").map { $0.trimmingSpaces().lowercased() }.filter { !$0.isEmpty })
    }

    /// What becomes of a detection.
    enum Verdict: Equatable {
        case kept
        case rejected(Rejections.Reason)
        /// It makes no sense: nowhere in the picture, or no number.
        case senseless
    }

    func judge(_ detection: Detection, width: Int, height: Int) -> Verdict {
        guard detection.box.isFinite, !detection.box.isEmpty, detection.score.isFinite else { return .senseless }
        let visible = detection.box.clipped(width: width, height: height).area
        guard visible > 0 else { return .senseless }
        if let name = detection.label?.text, !(allowlist.isEmpty && denylist.isEmpty) {
            let key = name.lowercased()
            let isAllowed = (allowlist.isEmpty || allowlist.contains(key)) && !denylist.contains(key)
            guard isAllowed else { return .rejected(.notAllowed) }
        }
        let share = visible / (Double(width) * Double(height))
        if share < minArea { return .rejected(.tooSmall) }
        return share > maxArea ? .rejected(.tooLarge) : .kept
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> Substring {
        var part = drop(while: \.isWhitespace)
        while part.last?.isWhitespace == true { part.removeLast() }
        return part
    }
}
