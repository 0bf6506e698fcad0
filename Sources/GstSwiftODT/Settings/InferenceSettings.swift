import SwiftODT

/// Settings that determine when and on which regions inference runs.
extension Settings {
    /// The regions on which inference runs in addition to the full frame. The names of the cases are also written to
    /// recordings.
    enum Zoom: String, Sendable { case off, auto, grid }

    /// The policy for the interval between inferences. The adaptive policy needs tracks, so without tracking inference
    /// runs on every frame.
    var intervalPolicy: InferencePolicy.Interval {
        inferenceInterval > 0 ? .every(inferenceInterval) : scene.follows ? .auto : .every(1)
    }

    /// Whether each inference runs on either the full frame or one region that is chosen from the tracks.
    var choosesRegions: Bool { zoom == .auto && scene.follows && detector.acceptsRegions }

    /// Returns the maximum number of inferences in flight; 0 for the number that the runtime recommends. With the hint
    /// `latency` the maximum is 1. If regions or intervals are chosen from earlier results, the maximum is 2, because
    /// with more inferences in flight the choice would be based on too few results.
    func inFlightLimit(for hint: InferenceHint) -> Int {
        hint == .latency ? 1 : choosesRegions || intervalPolicy == .auto ? 2 : lookAhead
    }

    /// The options for each call of the detector.
    var detection: DetectionOptions {
        DetectionOptions(
            scoreFloor: redacts ? min(scene.scoreFloor, redaction.floor) : scene.scoreFloor, iouThreshold: iouThreshold,
            view: zoom == .grid ? .grid : .fullFrame)
    }

    /// Whether a property requests redaction, even if redaction is not possible with the other properties.
    var requestsRedaction: Bool { annotator.boxStyle.redaction != nil || !annotator.privacyLabels.isEmpty }

    /// Whether objects are redacted.
    var redacts: Bool { draw && annotator.boxStyle.redaction != nil }

    var redaction: RedactionTracker.Options {
        RedactionTracker.Options(
            labels: annotator.privacyLabels, threshold: privacyThreshold, follows: scene.mode == .stream,
            maxAge: max(scene.tracker.maxAge, 1_000_000_000))
    }
}

extension Settings {
    enum DetectorChoice: Sendable {
        case auto, neural, salient, motion, upstream, recorded

        /// Whether the detector can run on a region of the frame instead of the full frame.
        var acceptsRegions: Bool { self == .auto || self == .neural }
    }
}
