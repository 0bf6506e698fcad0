import SwiftODT

/// The properties of the element that concern drawing. They are copied once per frame, so that all of them are
/// consistent within a frame.
///
/// No value is invalid. An unusable value, such as a negative width or a font that is not installed, is replaced by the
/// automatic choice.
struct AnnotatorOptions: Hashable, Sendable {
    enum ColorMode: Int, CaseIterable, Sendable {
        /// One colour per track. The colours of consecutive IDs differ clearly in hue. Objects without an ID have one
        /// colour per label.
        case trackingID
        case category
        /// ``AnnotatorOptions/boxColor`` for all objects.
        case fixed
    }

    enum BoxStyle: Int, CaseIterable, Sendable {
        case rectangle, rounded, corners, filled
        /// Redacts objects with a label in ``AnnotatorOptions/privacyLabels``. The boxes of other objects are drawn as
        /// rectangles.
        case blur, pixelate

        var redaction: Redaction.Method? {
            switch self {
            case .blur: .blur
            case .pixelate: .pixelate
            case .rectangle, .rounded, .corners, .filled: nil
            }
        }
    }

    enum Coasting: Int, CaseIterable, Sendable {
        case never, always
        /// For a short time, see ``CoastingDisplayPolicy``.
        case briefly
    }

    /// Whether boxes are drawn. Labels have the same positions with and without boxes.
    var drawBoxes = true
    var drawCoasting = Coasting.briefly
    /// Whether labels are drawn. ``drawTrackingLabels`` and ``drawConfidence`` concern only parts of the labels' text.
    var drawLabels = true
    var drawTrackingLabels = true
    var drawConfidence = true
    var drawTraces = false
    var drawZones = true
    var drawInferenceRegions = false
    /// How long a point of a trace is visible, in nanoseconds. The point fades during this time.
    var traceDuration: Nanoseconds = 2_000_000_000
    var colorMode = ColorMode.trackingID
    /// The colour for ``ColorMode/fixed`` as ARGB. An alpha of 0 is treated as opaque, because the user has probably
    /// omitted it.
    var boxColor: UInt32 = 0xFF00_E676
    /// The colour of the labels' text as ARGB. 0 selects black or white, whichever has more contrast.
    var labelColor: UInt32 = 0
    var boxStyle = BoxStyle.rectangle
    /// The labels of objects to redact, in lower case. If empty, all objects are redacted. Used only by the box styles
    /// `blur` and `pixelate`.
    var privacyLabels: Set<String> = []
    /// The width of lines in display units (see ``Canvas``); 0 derives it from the frame size.
    var lineWidth = 0.0
    var font = "Sans"
    /// The font size in display units (see ``Canvas``), limited to a sixth of the picture's shorter side. 0 selects the
    /// size in ``font``. If ``font`` contains no size, the size is derived from the frame size.
    var fontSize = 0.0
    /// The text of labels, with the placeholders `{label}`, `{category}`, `{confidence}`, `{score}` and `{id}`. See
    /// ``LabelFormat``.
    var labelFormat = "{label} · {category} {confidence} #{id}"
    var labelBackground = true
    /// Whether objects are classified. If so, `{confidence}` never stands for the detection score.
    var classifies = false

    /// Returns the options for frames of a pixel format. On grey frames, the colours of the palette would be hard to
    /// distinguish from the picture, so boxes are white unless the user has chosen a colour.
    func adapted(to format: PixelFormat) -> AnnotatorOptions {
        guard format.isGray, colorMode != .fixed else { return self }
        var adapted = self
        (adapted.colorMode, adapted.boxColor) = (.fixed, 0xFFFF_FFFF)
        return adapted
    }

    /// A redacted object has no outline.
    func redacts(_ label: String) -> Bool {
        boxStyle.redaction != nil && (privacyLabels.isEmpty || privacyLabels.contains(label.normalisedLabel))
    }
}
