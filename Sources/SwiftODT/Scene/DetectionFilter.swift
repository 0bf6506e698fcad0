/// Drops invalid detections, and detections with excluded labels or areas.
package struct DetectionFilter: Hashable, Sendable {
    /// The labels to keep, in lower case. An empty list keeps all labels. The list does not apply to detections without
    /// a label.
    package var allowlist: Set<String> = []
    /// The labels to drop, in lower case.
    package var denylist: Set<String> = []
    /// The minimum visible area of a box as a fraction of the picture's area, 0 to 1.
    package var minArea = 0.0
    /// The maximum visible area of a box as a fraction of the picture's area, 0 to 1.
    package var maxArea = 1.0

    /// The label that stands for unclassified objects in the label lists, see ``SceneOptions/unknownObjects``.
    package static let unknown = "unknown"

    package init() {}

    /// Whether the label lists permit unclassified objects. A non-empty allowlist must contain ``unknown``.
    package var wantsUnknown: Bool {
        (allowlist.isEmpty || allowlist.contains(Self.unknown)) && !denylist.contains(Self.unknown)
    }

    /// Parses a comma-separated list of labels into lower-case labels, see ``items(in:)``.
    package static func labels(in text: String) -> Set<String> { Set(items(in: text).map { $0.lowercased() }) }

    /// Parses a comma-separated list. After a backslash, a comma or another backslash is part of an item.
    package static func items(in text: String) -> [String] {
        var (items, item, isEscaped) = ([String](), "", false)
        for character in text {
            if isEscaped, character != ",", character != "\\" { item.append("\\") }
            if !isEscaped, character == "," {
                items.append(item)
                item = ""
            } else if isEscaped || character != "\\" {
                item.append(character)
            }
            isEscaped = !isEscaped && character == "\\"
        }
        if isEscaped { item.append("\\") }
        return (items + [item]).map { $0[...].trimmingSpaces() }.filter { !$0.isEmpty }
    }

    /// Returns the text that ``items(in:)`` parses into these items.
    package static func list(of items: some Sequence<String>) -> String {
        items.map { $0.replacing("\\", with: "\\\\").replacing(",", with: "\\,") }.joined(separator: ",")
    }

    enum Verdict: Equatable {
        case kept
        case rejected(Rejections.Reason)
        /// The box or the score is not finite, the box is empty, or the box lies outside the picture.
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
    fileprivate func trimmingSpaces() -> String {
        var part = drop(while: \.isWhitespace)
        while part.last?.isWhitespace == true { part.removeLast() }
        return String(part)
    }
}
