import SwiftODT

/// How often is looked, and at what.
extension Settings {
    /// Which parts of the picture are looked at besides the whole. The words stand in recordings.
    enum Zoom: String, Sendable { case off, auto, grid }

    /// Auto needs objects that are followed.
    var intervalPolicy: InferencePolicy.Interval {
        inferenceInterval > 0 ? .every(inferenceInterval) : scene.follows ? .auto : .every(1)
    }

    /// Whether each look is at the whole picture or at a part, as what is followed needs.
    var choosesRegions: Bool { zoom == .auto && scene.follows && detector.acceptsRegions }

    /// How many detections may be under way at once; 0: as many as the runtime asks for. Where parts are chosen, one may be while the
    /// next is chosen: more would be chosen knowing too little.
    func inFlightLimit(for hint: InferenceHint) -> Int {
        hint == .latency ? 1 : choosesRegions || intervalPolicy == .auto ? 2 : lookAhead
    }

    /// What a detector is asked for.
    var detection: DetectionOptions {
        DetectionOptions(
            scoreFloor: redacts ? min(scene.scoreFloor, redaction.floor) : scene.scoreFloor, iouThreshold: iouThreshold,
            view: zoom == .grid ? .grid : .fullFrame)
    }

    /// Whether anything is asked for that is to make objects unrecognisable.
    var requestsRedaction: Bool { annotator.boxStyle.redaction != nil || !annotator.privacyLabels.isEmpty }

    /// Whether that is done.
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

        /// Whether it can look at a part of the picture.
        var acceptsRegions: Bool { self == .auto || self == .neural }
    }
}
