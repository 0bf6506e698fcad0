import Playback

/// The redaction that the element's properties request.
struct RedactionRequest {
    /// The property that requests it, as NAME=VALUE.
    let word: String
    /// Whether it is an error if redaction cannot be guaranteed.
    let isStrict: Bool

    /// Returns `nil` if no redaction is requested.
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

    /// Sets `draw=true` if redaction is requested and the user has not set `draw`. The element rejects redaction
    /// with `draw=false`, which is the default here if no video is shown.
    static func allow(of element: Element, unless isDrawSet: Bool) {
        if !isDrawSet, RedactionRequest(of: element) != nil { element.set("draw", to: "true") }
    }
}
