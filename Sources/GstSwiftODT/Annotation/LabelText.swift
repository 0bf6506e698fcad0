import SwiftODT

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

    /// Returns the text of an object's label; empty if there is none.
    ///
    /// Without classification, `{confidence}` stands for the detection score. With classification, it stands for the
    /// confidence of the category and is absent while the category is unknown. If an object has no label, `{label}`
    /// stands for the category, unless the pattern contains `{category}`. With a custom classifier, the label of the
    /// classifier replaces the category.
    ///
    /// Confidence and score are omitted if `{label}` and `{category}` are empty, because a percentage alone is unclear.
    func text(for object: AnnotatedObject) -> String { text(for: object, label: label(of: object)) }

    /// Returns the text with another label in place of the object's own, for example a shortened one.
    func text(for object: AnnotatedObject, label: String?) -> String {
        let names = format.contains(.label) || format.contains(.category)
        let lacksName = names && (label == nil || !format.contains(.label)) && category(of: object) == nil
        let showsPercentages = showsFigures && !lacksName
        return format.text { placeholder in
            switch placeholder {
            case .label: label.map(LabelText.isolated) ?? (format.contains(.category) ? nil : category(of: object))
            case .category: category(of: object)
            case .confidence:
                showsPercentages ? percent(object.confidence ?? (classifies ? .nan : object.score)) : nil
            case .score: showsPercentages ? percent(object.score) : nil
            case .id: showsID ? object.id.map(String.init) : nil
            }
        }
    }

    /// Returns the texts to draw if there is no room for the full text: the object's label alone (if it has none, the
    /// category), and the ID alone. Omits texts that are empty or equal to the full text.
    func shortTexts(for object: AnnotatedObject, insteadOf whole: String) -> [String] {
        let label = format.text {
            $0 == .label ? self.label(of: object).map(LabelText.isolated) ?? category(of: object) : nil
        }
        let id = format.text { $0 == .id && showsID ? object.id.map(String.init) : nil }
        return [label, id].filter { !$0.isEmpty && $0 != whole }
    }

    /// Returns an object's label on one line; `nil` if the object has no label.
    func label(of object: AnnotatedObject) -> String? {
        let label = LabelText.legible(object.label, maximum: 160)
        return label.isEmpty ? nil : label
    }

    /// Returns the classifier's label on one line; `nil` if the text does not contain it.
    func classifierLabel(of object: AnnotatedObject) -> String? {
        guard format.contains(.category) || label(of: object) == nil else { return nil }
        return object.classifierLabel.map { LabelText.legible($0, maximum: 160) }
    }

    private func category(of object: AnnotatedObject) -> String? {
        if let label = classifierLabel(of: object) { return LabelText.isolated(label) }
        return object.category == .unknown ? nil : object.category.name
    }

    private func percent(_ part: Double) -> String? {
        part.isFinite ? "\(Int((min(max(part, 0), 1) * 100).rounded()))%" : nil
    }

    /// Returns the first `count` bytes of a text without trailing blanks, followed by an ellipsis. `count` must be a
    /// character boundary.
    static func shortened(_ text: String, toBytes count: Int) -> String {
        var kept = String(decoding: text.utf8.prefix(count), as: UTF8.self)
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return kept + "…"
    }

    /// Encloses a label in Unicode isolate characters unless it is ASCII. Without them, right-to-left text would change
    /// the order of the numbers beside it.
    static func isolated(_ label: String) -> String {
        label.utf8.allSatisfy { $0 < 0x80 } ? label : "\u{2068}\(label)\u{2069}"
    }

    /// Returns a text on one line. Each run of line breaks, control characters and blanks becomes one blank. Runs at
    /// both ends of the text are removed. Unicode's format characters are removed, except the zero-width joiner and
    /// non-joiner.
    ///
    /// - Parameter maximum: The maximum number of Unicode scalars. An ellipsis replaces the rest of a longer text.
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

/// Caches the texts of labels from frame to frame. A text is formatted again if one of the object's values has changed.
///
/// The cache has to be cleared when an option of ``LabelText`` changes.
struct LabelTextCache {
    /// The maximum number of entries. When it is reached, the cache is cleared, because most of the entries then belong
    /// to tracks that have ended.
    private static let maximum = 512

    private var entries: [Int: (object: AnnotatedObject, text: String)] = [:]

    /// The texts of objects without an ID are not cached.
    mutating func text(for object: AnnotatedObject, make: () -> String) -> String {
        guard let id = object.id else { return make() }
        if let (known, text) = entries[id], known.hasSameLabel(as: object) { return text }
        let text = make()
        if entries.count >= Self.maximum { entries.removeAll(keepingCapacity: true) }
        entries[id] = (object, text)
        return text
    }

    var count: Int { entries.count }

    mutating func removeAll() { entries.removeAll(keepingCapacity: true) }
}

extension AnnotatedObject {
    /// Returns whether two objects with the same ID have the same label text.
    fileprivate func hasSameLabel(as other: AnnotatedObject) -> Bool {
        (score == other.score || score.isNaN && other.score.isNaN) && confidence == other.confidence
            && category == other.category && label == other.label && classifierLabel == other.classifierLabel
    }
}
