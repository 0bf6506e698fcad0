/// The states of all tracks in a frame, for choosing the next region to infer. Tentative tracks are included. Tracks
/// are excluded if the picture shows that the object is absent: they neither explain motion nor need an inference.
package struct TrackerSnapshot: Sendable {
    package struct ObjectState: Sendable {
        /// The box in buffer pixels, propagated to the snapshot's frame, not clipped to the picture.
        package var box: Box
        /// The box in the frame of the latest result. Live results are late, so that frame is older than the snapshot's
        /// frame. `nil` if the box is the same.
        package var detectedBox: Box?
        package var isConfirmed = true
        package var misses = 0
        package var lastSeen: Nanoseconds = 0
        /// The magnification at which the object was detected. 1 is the magnification of the full frame.
        package var observedMagnification = 1.0
        /// The latest propagation of the box from one detection to the next: the time between the detections, and 1 -
        /// IoU of the propagated and the detected box.
        package var carried: (span: Nanoseconds, error: Double) = (0, 0)
        /// The similarity of the box's content in the snapshot's frame and at the latest detection, 0 to 1. It is 1 if
        /// the object is missed or the content is unknown.
        package var similarity = 1.0

        /// Whether the content of the box has changed so much that the object has probably left the box. An object that
        /// only turns or walks changes less.
        package var isAppearanceChanged: Bool { similarity < TrackerTuning.unchangedSimilarity }
    }

    /// The running time of the frame of the latest result. `nil` if this scene has no result yet.
    package var lastResult: Nanoseconds?
    /// The running time of the latest scene cut. `nil` before the first cut.
    package var lastCut: Nanoseconds?
    package var places: [ObjectState]
}

extension TrackerState {
    mutating func snapshot() -> TrackerSnapshot? {
        guard now != nil else { return nil }
        settle(followingImage: true)
        takeImpressions()
        let plane = history.latestPlane
        let there = tracklets.indices.filter { !tracklets[$0].occlusion.isAbsent }
        let places = there.map { index in
            TrackerSnapshot.ObjectState(
                box: tracklets[index].shownBox(at: settledTime),
                detectedBox: lastResult == settledTime ? nil : detectedBox(of: index),
                isConfirmed: tracklets[index].isConfirmed, misses: tracklets[index].misses,
                lastSeen: tracklets[index].lastSeen, observedMagnification: tracklets[index].observedMagnification,
                carried: tracklets[index].carried,
                similarity: tracklets[index].similarity(at: settledTime, in: plane))
        }
        return TrackerSnapshot(lastResult: lastResult, lastCut: lastCut, places: places)
    }

    /// Returns the box of a track in the frame of the latest result, which is the oldest entry of the history.
    private func detectedBox(of index: Int) -> Box? {
        guard let oldest = history.entries.first, oldest.time == lastResult else { return nil }
        return oldest.carried(tracklets[index].key).map { Box($0.filter.position + $0.lead) }
    }

    /// Records the content of each box that the latest result detected. Uses the picture of the result's frame, which
    /// is the oldest picture in the history.
    private mutating func takeImpressions() {
        guard let lastResult, let oldest = history.entries.first, oldest.time == lastResult, let plane = oldest.plane
        else { return }
        for index in tracklets.indices where tracklets[index].lastSeen == lastResult && !tracklets[index].hasImpression
        {
            // At the time of the result, the states of its frame have not been recorded in the history yet.
            let box =
                lastResult == settledTime ? tracklets[index].shownBox(at: settledTime) : detectedBox(of: index)
            if let box { tracklets[index].takeImpression(of: box, in: plane) }
        }
    }
}
