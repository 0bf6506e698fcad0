import SwiftODT

/// Says what a label says: the values of an object, in the words of a pattern.
struct LabelText {
    private let format: LabelFormat
    private let showsID: Bool
    private let showsFigures: Bool

    init(_ options: AnnotatorOptions) {
        format = LabelFormat(options.labelFormat)
        showsID = options.drawTrackingLabels
        showsFigures = options.drawConfidence
    }

    /// The text for an object, empty where there is nothing to say.
    ///
    /// Where nothing was classified, `{confidence}` gives the detector's score, since it is the figure there is; and
    /// where an object has no label of its own, `{label}` gives the category, unless the pattern has a place for it.
    ///
    /// - Parameter limit: the most characters of the label to take, for one that is too long to be drawn.
    func text(for object: AnnotatedObject, labelLimit limit: Int = 80) -> String {
        let text = format.text { placeholder in
            switch placeholder {
            case .label: label(of: object, limit: limit)
            case .category: category(of: object)
            case .confidence: showsFigures ? percent(object.confidence ?? object.score) : nil
            case .score: showsFigures ? percent(object.score) : nil
            case .id: showsID ? object.id.map(String.init) : nil
            }
        }
        return LabelText.legible(text).inVisualOrder
    }

    private func label(of object: AnnotatedObject, limit: Int) -> String? {
        let label = LabelText.legible(object.label)
        guard !label.isEmpty else { return format.contains(.category) ? nil : category(of: object) }
        return label.count > limit ? LabelText.shortened(label, to: limit) : label
    }

    private func category(of object: AnnotatedObject) -> String? {
        object.category == .unknown ? nil : object.category.name
    }

    private func percent(_ part: Double) -> String? {
        part.isFinite ? "\(Int((min(max(part, 0), 1) * 100).rounded()))%" : nil
    }

    /// The first `count` characters and an ellipsis.
    static func shortened(_ text: String, to count: Int) -> String {
        var kept = text.prefix(count)
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return kept + "…"
    }

    /// Text on one line, without what cannot be seen: line breaks and other control characters become blanks, marks
    /// that only steer a text engine go. Strings are valid Unicode by construction, whatever bytes they came from.
    private static func legible(_ text: String) -> String {
        var legible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
                if let last = legible.last, last != " " { legible.append(" ") }
            case .format: continue
            default:
                if !scalar.properties.isVariationSelector { legible.append(scalar) }
            }
        }
        if legible.last == " " { legible.removeLast() }
        return String(legible)
    }
}
