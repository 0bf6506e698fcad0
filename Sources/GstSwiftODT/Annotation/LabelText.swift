import SwiftODT

/// Says what a label says: the values of an object, in the words of a pattern.
struct LabelText {
    private let format: LabelFormat
    private let showsID: Bool
    private let showsFigures: Bool
    private let classifies: Bool

    init(_ options: AnnotatorOptions) {
        format = LabelFormat(LabelText.legible(options.labelFormat, maximum: 500))
        showsID = options.drawTrackingLabels
        showsFigures = options.drawConfidence
        classifies = options.classifies
    }

    /// The text for an object, empty where there is nothing to say.
    ///
    /// Without classification `{confidence}` gives the detector's score; with it, the confidence of the category, which is absent while that
    /// is unknown. Where an object has no label of its own, `{label}` gives the category, unless the pattern has a place for it. A coasting
    /// track has no figures: its last score says nothing about where it is now.
    func text(for object: AnnotatedObject) -> String { text(for: object, label: label(of: object)) }

    /// The same with another label, as for one that is too long to be drawn.
    func text(for object: AnnotatedObject, label: String?) -> String {
        format.text { placeholder in
            switch placeholder {
            case .label: label.map(LabelText.isolated) ?? (format.contains(.category) ? nil : category(of: object))
            case .category: category(of: object)
            case .confidence:
                showsFigures(of: object) ? percent(object.confidence ?? (classifies ? .nan : object.score)) : nil
            case .score: showsFigures(of: object) ? percent(object.score) : nil
            case .id: showsID ? object.id.map(String.init) : nil
            }
        }
    }

    /// What remains where there is no room for all of the text: the id, or for objects without one the label. `nil` where that is nothing, or
    /// no less than the whole.
    func shortText(for object: AnnotatedObject, insteadOf whole: String) -> String? {
        let kept: LabelFormat.Placeholder = showsID && object.id != nil && format.contains(.id) ? .id : .label
        let short = format.text { placeholder in
            guard placeholder == kept else { return nil }
            return kept == .id ? object.id.map(String.init) : label(of: object).map(LabelText.isolated)
        }
        return short.isEmpty || short == whole ? nil : short
    }

    /// Without an id a box holds until the next result, and its figures with it.
    private func showsFigures(of object: AnnotatedObject) -> Bool {
        showsFigures && !(object.coasting && object.id != nil)
    }

    /// The label of an object's own, on one line; `nil` where it has none.
    func label(of object: AnnotatedObject) -> String? {
        let label = LabelText.legible(object.label, maximum: 160)
        return label.isEmpty ? nil : label
    }

    private func category(of object: AnnotatedObject) -> String? {
        object.category == .unknown ? nil : object.category.name
    }

    private func percent(_ part: Double) -> String? {
        part.isFinite ? "\(Int((min(max(part, 0), 1) * 100).rounded()))%" : nil
    }

    /// The first bytes, as far as they are whole characters, and an ellipsis.
    static func shortened(_ text: String, toBytes count: Int) -> String {
        var kept = String(decoding: text.utf8.prefix(count), as: UTF8.self)
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return kept + "…"
    }

    /// Keeps words that are written from right to left from drawing figures and ids to their side: whatever a label is
    /// written in, the pattern's order holds.
    private static func isolated(_ label: String) -> String {
        label.utf8.allSatisfy { $0 < 0x80 } ? label : "\u{2068}\(label)\u{2069}"
    }

    /// Text on one line, without what cannot be seen: line breaks and other control characters become blanks, marks
    /// that only steer a text engine go, but for those that join letters or part them, and pick a picture's kind. Strings
    /// are valid Unicode by construction, whatever bytes they came from.
    ///
    /// - Parameter maximum: from this many characters on the rest gives way to an ellipsis: what a character is made of counts.
    static func legible(_ text: String, maximum: Int) -> String {
        var legible = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            if scalar.isASCII, scalar.value > 32, scalar.value < 127 {
                legible.append(scalar)
            } else {
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
                    guard let last = legible.last, last != " " else { continue }
                    legible.append(" ")
                case .format where !scalar.properties.isJoinControl: continue
                default: legible.append(scalar)
                }
            }
            count += 1
            if count > maximum {
                legible.removeLast()
                return String(legible) + "…"
            }
        }
        if legible.last == " " { legible.removeLast() }
        return String(legible)
    }
}
