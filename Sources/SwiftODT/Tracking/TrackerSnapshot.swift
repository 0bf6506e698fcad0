/// The states of all tracks in a frame, for choosing the next region to infer. Tentative tracks are included. Tracks
/// are excluded if the picture shows that the object is absent: they neither explain motion nor need an inference.
package struct TrackerSnapshot: Sendable {
    package struct ObjectState: Sendable {
        /// The box in buffer pixels, propagated to the snapshot's frame, not clipped to the picture.
        package var box: Box
        /// The box in the frame of the latest result; `nil` if that frame is not older than the snapshot's frame.
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
