import CODTGStreamer
import SwiftODT

/// The redaction requested by the properties of a `swiftodt` element.
package struct RedactionRequest {
    /// The properties that request redaction, as NAME=VALUE, separated by a space. Requests with the same style,
    /// labels and threshold have the same text. Without `privacy-labels`, all objects are redacted.
    package let properties: String
    /// Whether the element treats it as an error if redaction cannot be guaranteed (`privacy-strict`).
    package let isStrict: Bool

    /// Returns `nil` if the properties request no redaction.
    package init?(of element: Element) {
        var labels = GValue()
        g_object_get_property(element.gobject, "privacy-labels", &labels)
        defer { g_value_unset(&labels) }
        self.init(
            style: element.text(of: "box-style"),
            labels: g_value_get_string(&labels).map { String(cString: $0) } ?? "",
            threshold: Double(element.text(of: "privacy-threshold")) ?? RedactionTracker.usualThreshold,
            isStrict: element.text(of: "privacy-strict") != "false")
    }

    /// Returns `nil` if the values of the properties request no redaction.
    package init?(
        style: String, labels: String, threshold: Double = RedactionTracker.usualThreshold, isStrict: Bool
    ) {
        let labels = DetectionFilter.list(of: DetectionFilter.labels(in: labels).sorted())
        let words =
            (["blur", "pixelate"].contains(style) ? ["box-style=\(style)"] : [])
            + (labels.isEmpty ? [] : ["privacy-labels=\(labels)"])
        guard !words.isEmpty else { return nil }
        let thresholds = threshold == RedactionTracker.usualThreshold ? [] : ["privacy-threshold=\(threshold)"]
        (properties, self.isStrict) = ((words + thresholds).joined(separator: " "), isStrict)
    }

    /// Sets `draw=true` if redaction is requested and the user has not set `draw`. Subcommands that show no video set
    /// `draw=false` by default, and the element rejects the combination of redaction and `draw=false`.
    package static func enableDrawing(of element: Element, unless isDrawSet: Bool) {
        if !isDrawSet, RedactionRequest(of: element) != nil { element.set("draw", to: "true") }
    }
}
