import SwiftODT

/// How objects are drawn: the drawing properties of the element, one consistent copy a frame.
///
/// Any value is safe. What cannot be (a negative width, a font nobody has) falls back to the automatic choice.
struct AnnotatorOptions: Hashable, Sendable {
    /// What decides the colour of an object.
    enum ColorMode: Int, CaseIterable, Sendable {
        /// One colour a track, far from that of its neighbours in number; without ids, one a label.
        case trackingID
        /// One colour a coarse category.
        case category
        /// ``AnnotatorOptions/boxColor`` for all.
        case fixed
    }

    enum BoxStyle: Int, CaseIterable, Sendable {
        case rectangle, rounded, corners, filled
        /// What is in the box is made unrecognisable, see ``AnnotatorOptions/privacyLabels``; others have a rectangle.
        case blur, pixelate

        var redaction: Redaction.Method? {
            switch self {
            case .blur: .blur
            case .pixelate: .pixelate
            case .rectangle, .rounded, .corners, .filled: nil
            }
        }
    }

    /// Whether boxes that are not seen but carried on are drawn.
    enum Coasting: Int, CaseIterable, Sendable {
        case never, always
        /// For a moment: see ``CoastingDisplayPolicy``.
        case briefly
    }

    /// Whether objects have a box; its label stands where it would be in any case.
    var drawBoxes = true
    var drawCoasting = Coasting.briefly
    /// Whether objects have a label panel at all. The next two only leave parts of its text away.
    var drawLabels = true
    /// Whether the panel says the tracking id.
    var drawTrackingLabels = true
    /// Whether the panel says figures: confidence and score.
    var drawConfidence = true
    var drawTraces = false
    var drawZones = true
    /// Whether the detector's looks are shown.
    var drawInferenceRegions = false
    /// How long a trace takes to fade.
    var traceDuration: Nanoseconds = 2_000_000_000
    var colorMode = ColorMode.trackingID
    /// ARGB. No alpha at all is taken for a forgotten one: opaque.
    var boxColor: UInt32 = 0xFF00_E676
    /// ARGB of the text; 0 takes black or white, whichever stands out.
    var labelColor: UInt32 = 0
    var boxStyle = BoxStyle.rectangle
    /// What is made unrecognisable, where the style does that: labels in small letters; empty for everything.
    var privacyLabels: Set<String> = []
    /// In display pixels; 0 follows the picture's size.
    var lineWidth = 0.0
    var font = "Sans"
    /// In display pixels; 0 follows the picture's size.
    var fontSize = 0.0
    /// Placeholders `{label}`, `{category}`, `{confidence}`, `{score}` and `{id}`. See ``LabelFormat``.
    var labelFormat = "{label} · {category} {confidence} #{id}"
    var labelBackground = true
    /// Whether objects are classified: then `{confidence}` is the classification's alone.
    var classifies = false

    /// Whether an object is made unrecognisable, and needs no lines.
    func redacts(_ label: String) -> Bool {
        boxStyle.redaction != nil && (privacyLabels.isEmpty || privacyLabels.contains(label.lowercased()))
    }
}
