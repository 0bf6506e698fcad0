/// The states of all tracks in a frame, confirmed or not, except absent ones: these neither explain motion nor need
/// an inference.
///
/// A value for choosing the next region to infer.
package struct TrackerSnapshot: Sendable {
    /// The state of one track.
    package struct ObjectState: Sendable {
        /// In buffer pixels, propagated to the frame, not clipped.
        package var box: Box
        /// The box in the frame of the latest result, as estimated at that time: live results are late.
        package var detectedBox: Box
        /// Whether it has been detected often enough to be reported.
        package var isConfirmed: Bool
        /// The number of results that have missed it since its latest detection.
        package var misses: Int
        /// The time of the latest detection.
        package var lastSeen: Nanoseconds
        /// The magnification at which the object was detected, so far as known; 1 is the full frame.
        package var observedMagnification: Double
        /// The propagation error at the latest detection.
        package var carried: PropagationQuality
        /// The similarity of the content of its box to that at the latest detection, 0 to 1; 1 for missed objects.
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

        /// Whether the box content has changed so much that the object has probably left the box. Turning objects and
        /// walking people change less.
        package var isAppearanceChanged: Bool { similarity < Self.minimumSimilarity }

        private static let minimumSimilarity = 0.5
    }

    /// The error of a box that was propagated from one detection to the next.
    package struct PropagationQuality: Sendable {
        /// The time between the two detections.
        package var span: Nanoseconds
        /// 1 - IoU with the detected box: 0 for an exact propagation, 1 without overlap.
        package var error: Double

        package init(over span: Nanoseconds = 0, error: Double = 0) { (self.span, self.error) = (span, error) }
    }

    /// The running time of the frame of the latest result; `nil` without a result in this scene.
    package var answered: Nanoseconds?
    /// The running time of the frame that began this scene; `nil` before the first cut.
    package var lastCut: Nanoseconds?
    package var places: [ObjectState]

    package init(answered: Nanoseconds? = nil, lastCut: Nanoseconds? = nil, places: [ObjectState]) {
        (self.answered, self.lastCut, self.places) = (answered, lastCut, places)
    }
}

extension TrackerState {
    /// Returns the snapshot of the latest frame; `nil` before the first frame.
    mutating func snapshot() -> TrackerSnapshot? {
        guard now != nil else { return nil }
        settle(followingImage: true)
        takeImpressions()
        let plane = history.latestPlane
        let there = tracklets.indices.filter { !tracklets[$0].occlusion.isAbsent }
        return TrackerSnapshot(
            answered: lastAnswer, lastCut: lastCut,
            places: there.map {
                tracklets[$0].place(
                    at: settledTime, in: plane, detectedBox: lastAnswer == settledTime ? nil : detectedBox(of: $0))
            })
    }

    /// Returns the box in the frame of the latest result, which is the oldest entry of the history.
    private func detectedBox(of index: Int) -> Box? {
        guard !history.isEmpty, history.time(0) == lastAnswer else { return nil }
        return history[0].carried(tracklets[index].key).map { Box($0.filter.position + $0.lead) }
    }

    /// Records the box contents of the tracks that the latest result detected, from its picture, which is the oldest
    /// in the history.
    private mutating func takeImpressions() {
        guard let lastAnswer, !history.isEmpty, history.time(0) == lastAnswer, let plane = history[0].plane else {
            return
        }
        for index in tracklets.indices where tracklets[index].lastSeen == lastAnswer && !tracklets[index].hasImpression
        {
            // The latest frame has not been recorded yet.
            let box =
                lastAnswer == settledTime ? tracklets[index].shownBox(at: settledTime) : detectedBox(of: index)
            if let box { tracklets[index].takeImpression(of: box, in: plane) }
        }
    }
}

extension Tracklet {
    fileprivate func place(at time: Nanoseconds, in plane: LumaPlane?, detectedBox: Box?) -> TrackerSnapshot.ObjectState
    {
        TrackerSnapshot.ObjectState(
            box: shownBox(at: time), isConfirmed: isShown, misses: misses, lastSeen: lastSeen,
            observedMagnification: observedMagnification,
            carried: carried, similarity: similarity(at: time, in: plane), detectedBox: detectedBox)
    }
}
