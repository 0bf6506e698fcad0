import CGStreamer
import SwiftODT

extension Settings {
    /// Tells of combinations that cannot be meant.
    ///
    /// - Returns: whether the element can start all the same.
    func complain(to element: ElementHandle) -> Bool {
        if scene.filter.minArea > scene.filter.maxArea {
            element.fail(
                .settings(
                    "min-area (\(scene.filter.minArea)) is above max-area (\(scene.filter.maxArea)), so no object could "
                        + "be reported; swap them"))
            return false
        }
        let contradictions = scene.filter.allowlist.intersection(scene.filter.denylist).sorted()
        if !contradictions.isEmpty {
            element.warn(
                .settings(
                    "\(contradictions.joined(separator: ", ")) stand in label-allowlist and in label-denylist; the "
                        + "denylist wins"))
        }
        if detector == .motion || detector == .upstream, modelFile != nil || labelFile != nil {
            element.warn(
                .settings(
                    "model-file and label-file mean nothing with this detector; set detector=neural or salient to use them"
                ))
        }
        if scene.mode == .singleImage, strategy == .keepOnlyLatest {
            element.warn(
                .settings("mode=single-image waits for every picture, so strategy=keep-only-latest has no effect"))
        }
        if scene.mode == .singleImage, detector == .motion {
            element.warn(
                .settings(
                    "detector=motion finds nothing in a single picture; use detector=neural or salient with "
                        + "mode=single-image"))
        }
        let unknown = LabelFormat.unknownWords(in: annotator.labelFormat)
        if !unknown.isEmpty {
            let known = LabelFormat.Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
            element.warn(
                .settings(
                    "label-format knows nothing called \(unknown.map { "{\($0)}" }.joined(separator: ", ")), which is plain "
                        + "text then; it knows \(known)"))
        }
        if attachMeta.contains(.analytics), AnalyticsLibrary.shared == nil {
            element.warn(
                .settings(
                    "attach-meta=analytics has no effect: this GStreamer has no analytics library, which comes with 1.24; "
                        + "use roi or custom"))
        }
        complainOfLabels(to: element)
        return true
    }

    /// Tells of labels in the lists that no object is going to have: most are misspelt.
    private func complainOfLabels(to element: ElementHandle) {
        let listed = scene.filter.allowlist.union(scene.filter.denylist)
        guard !listed.isEmpty else { return }
        switch detector {
        case .upstream: break
        case .motion, .salient:
            element.warn(
                .settings(
                    "label-allowlist and label-denylist have no effect: this detector gives no labels; "
                        + "detector=neural does"))
        case .auto, .neural:
            var recipe = DetectorRecipe(.neural)
            recipe.modelFile = modelFile
            recipe.labelFile = labelFile
            guard let labels = recipe.knownLabels else { return }
            let unknown = listed.subtracting(labels.map { $0.lowercased() }).sorted()
            guard !unknown.isEmpty else { return }
            element.warn(
                .settings(
                    "the network has no label \(unknown.joined(separator: ", ")), which label-allowlist or "
                        + "label-denylist names; it has \(labels.prefix(8).joined(separator: ", "))"
                        + (labels.count > 8 ? " and \(labels.count - 8) more" : ""),
                    detail: "its labels: " + labels.joined(separator: ", ")))
        }
    }
}
