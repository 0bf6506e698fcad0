/// The states of all tracks in a frame, for choosing the next region to infer. Tentative tracks are included. Tracks
/// are excluded if the picture shows that the object is absent: they neither explain motion nor need an inference.
package struct TrackerSnapshot: Sendable {
    package struct ObjectState: Sendable {
        /// The box in buffer pixels, propagated to the snapshot's frame, not clipped to the picture.
        package var box: Box
        /// The box in the frame of the latest result, if that frame is older than the snapshot's frame. Otherwise
        /// `nil`.
        package var detectedBox: Box?
        package var isConfirmed = true
        package var misses = 0
        package var lastSeen: Nanoseconds = 0
        /// The magnification at which the object was detected. 1 is the magnification of the full frame.
        package var observedMagnification = 1.0
        /// `span` is the time between the latest two detections. `error` is 1 - IoU of the latest detected box and the
        /// box that was propagated over this time.
        package var carried: (span: Nanoseconds, error: Double) = (0, 0)
        /// The similarity of the box's content to the latest detection, 0 to 1. It is 1 if the object is missed, or if
        /// the similarity is unknown.
        package var similarity = 1.0

        /// Whether the object has probably left the box. An object that only turns or walks changes less.
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
        let (time, plane) = (settledTime, history.entries.last?.plane)
        // The frame of the latest result is the oldest entry. Its states are recorded only after the next frame.
        let detected = history.entries.first.flatMap { $0.time == lastResult ? $0 : nil }
        var places: [TrackerSnapshot.ObjectState] = []
        places.reserveCapacity(tracklets.count)
        for index in tracklets.indices {
            let box = tracklets[index].shownBox(at: time)
            let known = lastResult == time ? nil : detected?.carried(tracklets[index].key)
            let detectedBox = known.map { Box($0.filter.position + $0.lead) }
            if let lastResult, tracklets[index].lastSeen == lastResult,
                tracklets[index].impression?.time != lastResult, let picture = detected?.plane,
                let seen = lastResult == time ? box : detectedBox
            {
                tracklets[index].impression = (Appearance(of: seen, in: picture), lastResult)
            }
            if tracklets[index].occlusion.isAbsent { continue }
            places.append(
                TrackerSnapshot.ObjectState(
                    box: box, detectedBox: detectedBox, isConfirmed: tracklets[index].isConfirmed,
                    misses: tracklets[index].misses, lastSeen: tracklets[index].lastSeen,
                    observedMagnification: tracklets[index].observedMagnification, carried: tracklets[index].carried,
                    similarity: tracklets[index].similarity(at: time, in: plane)))
        }
        return TrackerSnapshot(lastResult: lastResult, lastCut: lastCut, places: places)
    }
}
