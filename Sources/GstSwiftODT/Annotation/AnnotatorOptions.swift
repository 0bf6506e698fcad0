import SwiftODT

/// The drawing properties of the element, copied once per frame so that they are consistent.
///
/// Every value is safe. An unusable one (a negative width, a font that is not installed) falls back to the automatic
/// choice.
struct AnnotatorOptions: Hashable, Sendable {
    /// What determines the colour of an object.
    enum ColorMode: Int, CaseIterable, Sendable {
        /// One colour per track, with consecutive IDs far apart in hue. Objects without an ID have one colour per
        /// label.
        case trackingID
        /// One colour per coarse category.
        case category
        /// ``AnnotatorOptions/boxColor`` for all objects.
        case fixed
    }

    enum BoxStyle: Int, CaseIterable, Sendable {
        case rectangle, rounded, corners, filled
        /// Redacts the boxes of the labels in ``AnnotatorOptions/privacyLabels``. Other objects have a rectangle.
        case blur, pixelate

        var redaction: Redaction.Method? {
            switch self {
            case .blur: .blur
            case .pixelate: .pixelate
            case .rectangle, .rounded, .corners, .filled: nil
            }
        }
    }

    /// How long the boxes of coasting objects are drawn.
    enum Coasting: Int, CaseIterable, Sendable {
        case never, always
        /// For a moment; see ``CoastingDisplayPolicy``.
        case briefly
    }

    /// Whether boxes are drawn. Without them, labels keep their positions.
    var drawBoxes = true
    var drawCoasting = Coasting.briefly
    /// Whether labels are drawn. The next two properties only leave out parts of the text.
    var drawLabels = true
    /// Whether labels contain the tracking ID.
    var drawTrackingLabels = true
    /// Whether labels contain confidence and score.
    var drawConfidence = true
    var drawTraces = false
    var drawZones = true
    /// Whether the regions of inferences are drawn.
    var drawInferenceRegions = false
    /// How long a trace takes to fade.
    var traceDuration: Nanoseconds = 2_000_000_000
    var colorMode = ColorMode.trackingID
    /// ARGB. An alpha of 0 is treated as opaque, because it is usually an omission.
    var boxColor: UInt32 = 0xFF00_E676
    /// ARGB of the text; 0 selects black or white, whichever has more contrast.
    var labelColor: UInt32 = 0
    var boxStyle = BoxStyle.rectangle
    /// The labels to redact, in lower case; empty redacts all objects. Used by the styles `blur` and `pixelate` only.
    var privacyLabels: Set<String> = []
    /// In display pixels; 0 derives it from the frame size.
    var lineWidth = 0.0
    var font = "Sans"
    /// In display pixels; 0 derives it from the frame size.
    var fontSize = 0.0
    /// Placeholders: `{label}`, `{category}`, `{confidence}`, `{score}` and `{id}`. See ``LabelFormat``.
    var labelFormat = "{label} · {category} {confidence} #{id}"
    var labelBackground = true
    /// Whether objects are classified. If so, `{confidence}` is never the detection score.
    var classifies = false

    /// Returns whether objects with this label are redacted, which therefore have no outline.
    func redacts(_ label: String) -> Bool {
        boxStyle.redaction != nil && (privacyLabels.isEmpty || privacyLabels.contains(label.lowercased()))
    }
}
