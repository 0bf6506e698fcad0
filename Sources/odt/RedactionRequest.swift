import Playback

/// What the element's properties ask to be redacted.
struct RedactionRequest {
    /// The property that asks for it, as users write it.
    let word: String
    /// Whether redaction that cannot be guaranteed is an error.
    let isStrict: Bool

    /// `nil` where nothing is asked for.
    init?(of element: Element) {
        let (style, labels) = (element.text(of: "box-style"), element.text(of: "privacy-labels"))
        if ["blur", "pixelate"].contains(style) {
            word = "box-style=\(style)"
        } else if !["", "NULL", "\"\""].contains(labels) {
            word = "privacy-labels=\(labels)"
        } else {
            return nil
        }
        isStrict = element.text(of: "privacy-strict") != "false"
    }

    /// Has the element redact where it was made with `draw=false` because nobody is shown its pictures: it would refuse that.
    static func allow(of element: Element, unless isDrawSet: Bool) {
        if !isDrawSet, RedactionRequest(of: element) != nil { element.set("draw", to: "true") }
    }
}
