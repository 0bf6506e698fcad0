import SwiftODT

/// Formats the text of a label from an object's values and a pattern.
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

    /// Returns the text for an object; empty if there is none.
    ///
    /// Without classification, `{confidence}` is the detection score; with it, the confidence of the category, which is
    /// absent while the category is unknown. For an object without a label, `{label}` is the category, unless the
    /// pattern contains `{category}`. A coasting track has neither confidence nor score, because the last score does
    /// not describe the predicted box.
    func text(for object: AnnotatedObject) -> String { text(for: object, label: label(of: object)) }

    /// Returns the text with another label, such as a shortened one.
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

    /// Returns the text of the short label: the ID, or the label for objects without one. Returns `nil` if that is
    /// empty or equal to the full text.
    func shortText(for object: AnnotatedObject, insteadOf whole: String) -> String? {
        let kept: LabelFormat.Placeholder = showsID && object.id != nil && format.contains(.id) ? .id : .label
        let short = format.text { placeholder in
            guard placeholder == kept else { return nil }
            return kept == .id ? object.id.map(String.init) : label(of: object).map(LabelText.isolated)
        }
        return short.isEmpty || short == whole ? nil : short
    }

    /// An object without an ID keeps its box until the next result, and its score with it.
    private func showsFigures(of object: AnnotatedObject) -> Bool {
        showsFigures && !(object.coasting && object.id != nil)
    }

    /// Returns an object's label on one line; `nil` if it has none.
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

    /// Returns the complete characters among the first bytes, followed by an ellipsis.
    static func shortened(_ text: String, toBytes count: Int) -> String {
        var kept = String(decoding: text.utf8.prefix(count), as: UTF8.self)
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return kept + "…"
    }

    /// Isolates right-to-left text so that it does not reorder numbers and IDs beside it. The order of the pattern
    /// holds for any script.
    private static func isolated(_ label: String) -> String {
        label.utf8.allSatisfy { $0 < 0x80 } ? label : "\u{2068}\(label)\u{2069}"
    }

    /// Returns a text on one line without invisible characters. Line breaks and control characters become blanks.
    /// Format characters are removed, except those that join or separate letters; characters that select a glyph
    /// variant are kept. Strings are valid Unicode whatever bytes they were made from.
    ///
    /// - Parameter maximum: the maximum number of Unicode scalars; an ellipsis replaces the rest.
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

/// Caches label texts from frame to frame. A text is formatted again when one of the object's values changes.
///
/// The caller must clear the cache when the pattern changes.
struct LabelTextCache {
    private struct Entry {
        let label: String
        let category: Category
        let confidence: Double?
        let score: Double
        let coasting: Bool
        let text: String

        func holds(for object: AnnotatedObject) -> Bool {
            (score == object.score || score.isNaN && object.score.isNaN) && confidence == object.confidence
                && category == object.category && label == object.label && coasting == object.coasting
        }
    }

    /// If there are more entries, most belong to tracks that have ended.
    private static let maximum = 512

    private var entries: [Int: Entry] = [:]

    /// Returns the text for an object. Objects without an ID are not cached.
    mutating func text(for object: AnnotatedObject, make: () -> String) -> String {
        guard let id = object.id else { return make() }
        if let entries = entries[id], entries.holds(for: object) { return entries.text }
        let text = make()
        if entries.count >= Self.maximum { entries.removeAll(keepingCapacity: true) }
        entries[id] = Entry(
            label: object.label, category: object.category, confidence: object.confidence, score: object.score,
            coasting: object.coasting, text: text)
        return text
    }

    var count: Int { entries.count }

    mutating func removeAll() { entries.removeAll(keepingCapacity: true) }
}
