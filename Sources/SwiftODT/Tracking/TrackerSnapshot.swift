/// The states of all tracks in a frame, for choosing the next region to infer. Tentative tracks are included. Tracks
/// are excluded if the picture shows that the object is absent: they neither explain motion nor need an inference.
package struct TrackerSnapshot: Sendable {
    package struct ObjectState: Sendable {
        /// The box in buffer pixels, propagated to the snapshot's frame, not clipped to the picture.
        package var box: Box
        /// The box in the frame of the latest result. Live results are late, so that frame is older than the snapshot's
        /// frame.
        package var detectedBox: Box
        package var isConfirmed: Bool
        package var misses: Int
        package var lastSeen: Nanoseconds
        /// The magnification at which the object was detected. 1 is the magnification of the full frame.
        package var observedMagnification: Double
        package var carried: PropagationQuality
        /// The similarity of the box's content in the snapshot's frame and at the latest detection, 0 to 1. It is 1 if
        /// the object is missed or the content is unknown.
        package var similarity: Double

        package init(
            box: Box, isConfirmed: Bool = true, misses: Int = 0, lastSeen: Nanoseconds = 0,
            observedMagnification: Double = 1, carried: PropagationQuality = PropagationQuality(),
            similarity: Double = 1, detectedBox: Box? = nil
        ) {
            self.detectedBox = detectedBox ?? box
            (self.box, self.isConfirmed, self.misses, self.lastSeen) = (box, isConfirmed, misses, lastSeen)
            (self.observedMagnification, self.carried, self.similarity) = (observedMagnification, carried, similarity)
        }

        /// Whether the content of the box has changed so much that the object has probably left the box. An object that
        /// only turns or walks changes less.
        package var isAppearanceChanged: Bool { similarity < TrackerTuning.unchangedSimilarity }
    }

    /// The error of a box that was propagated from one detection of an object to the next.
    package struct PropagationQuality: Sendable {
        /// The time between the two detections.
        package var span: Nanoseconds
        /// 1 - IoU of the propagated and the detected box: 0 for an exact propagation, 1 without overlap.
        package var error: Double

        package init(over span: Nanoseconds = 0, error: Double = 0) { (self.span, self.error) = (span, error) }
    }

    /// The running time of the frame of the latest result. `nil` if this scene has no result yet.
    package var lastResult: Nanoseconds?
    /// The running time of the latest scene cut. `nil` before the first cut.
    package var lastCut: Nanoseconds?
    package var places: [ObjectState]

    package init(lastResult: Nanoseconds? = nil, lastCut: Nanoseconds? = nil, places: [ObjectState]) {
        (self.lastResult, self.lastCut, self.places) = (lastResult, lastCut, places)
    }
}

extension TrackerState {
    mutating func snapshot() -> TrackerSnapshot? {
        guard now != nil else { return nil }
        settle(followingImage: true)
        takeImpressions()
        let plane = history.latestPlane
        let there = tracklets.indices.filter { !tracklets[$0].occlusion.isAbsent }
        return TrackerSnapshot(
            lastResult: lastResult, lastCut: lastCut,
            places: there.map {
                tracklets[$0].place(
                    at: settledTime, in: plane, detectedBox: lastResult == settledTime ? nil : detectedBox(of: $0))
            })
    }

    /// Returns the box of a track in the frame of the latest result, which is the oldest entry of the history.
    private func detectedBox(of index: Int) -> Box? {
        guard !history.isEmpty, history.time(0) == lastResult else { return nil }
        return history[0].carried(tracklets[index].key).map { Box($0.filter.position + $0.lead) }
    }

    /// Records the content of each box that the latest result detected. Uses the picture of the result's frame, which
    /// is the oldest picture in the history.
    private mutating func takeImpressions() {
        guard let lastResult, !history.isEmpty, history.time(0) == lastResult, let plane = history[0].plane else {
            return
        }
        for index in tracklets.indices where tracklets[index].lastSeen == lastResult && !tracklets[index].hasImpression
        {
            // At the time of the result, the states of its frame have not been recorded in the history yet.
            let box =
                lastResult == settledTime ? tracklets[index].shownBox(at: settledTime) : detectedBox(of: index)
            if let box { tracklets[index].takeImpression(of: box, in: plane) }
        }
    }
}

extension Tracklet {
    fileprivate func place(at time: Nanoseconds, in plane: LumaPlane?, detectedBox: Box?) -> TrackerSnapshot.ObjectState
    {
        TrackerSnapshot.ObjectState(
            box: shownBox(at: time), isConfirmed: isConfirmed, misses: misses, lastSeen: lastSeen,
            observedMagnification: observedMagnification,
            carried: carried, similarity: similarity(at: time, in: plane), detectedBox: detectedBox)
    }
}
