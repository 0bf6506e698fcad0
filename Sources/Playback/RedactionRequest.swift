/// The redaction requested by the properties of a `swiftodt` element.
package struct RedactionRequest {
    /// The property that requests redaction, as NAME=VALUE.
    package let word: String
    /// Whether the element treats it as an error if redaction cannot be guaranteed (`privacy-strict`).
    package let isStrict: Bool

    /// Returns `nil` if the properties request no redaction.
    package init?(of element: Element) {
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

    /// Sets `draw=true` if redaction is requested and the user has not set `draw`. Subcommands that show no video set
    /// `draw=false` by default, and the element rejects the combination of redaction and `draw=false`.
    package static func allow(of element: Element, unless isDrawSet: Bool) {
        if !isDrawSet, RedactionRequest(of: element) != nil { element.set("draw", to: "true") }
    }
}
