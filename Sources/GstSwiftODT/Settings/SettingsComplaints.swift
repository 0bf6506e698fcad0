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
        return true
    }
}
