/// An object in one frame, as the tracker and the scene pass it on. ``TrackedObject`` is the public counterpart.
package struct Track: Sendable {
    package typealias State = TrackedObject.State

    /// The track's detection with the highest score so far.
    package typealias Best = (score: Double, box: Box, time: Nanoseconds)

    /// Ids count from 1 and are never reused within a stream. `nil` without tracking.
    package var id: Int?
    /// The bounding box in buffer pixels, not clipped to the picture.
    package var box: Box
    /// The score of the latest detection that could have begun a track.
    package var score: Double
    /// The score of the latest detection, including detections below the threshold. While the track coasts, it falls
    /// with the time since that detection. `nil` if the object does not come from ``Tracker``.
    var decayedScore: Double?
    package var label: Label?
    package var state = State.tracked
    package var firstSeen: Nanoseconds = 0
    package var lastSeen: Nanoseconds = 0
    /// The time from ``lastSeen`` to this frame.
    package var timeSinceUpdate: Nanoseconds = 0
    /// The horizontal velocity in buffer pixels per second.
    package var velocityX = 0.0
    package var velocityY = 0.0
    /// The ``Detection/origin`` of the object's detection in this frame. `nil` without such a detection or origin.
    package var origin: Int?
}

/// The beginning, the re-entry, a change or the end of a track.
package struct TrackEvent: Sendable {
    package enum Kind: String, Sendable {
        case begin, update, end
        /// An object has returned and has its earlier id again, see ``TrackReidentifier``.
        case reentered = "re-entered"
    }

    package typealias Reason = TrackedObjectEvent.EndReason

    package var kind: Kind
    package var track: Track
    package var best: Track.Best
    /// The length of the path of the box's centre, in buffer pixels.
    package var pathLength: Double
    /// Set only for ``Kind/end``.
    package var reason: Reason?
}
