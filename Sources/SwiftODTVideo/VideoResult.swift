import SwiftODT

/// The objects in one frame of a video, and what has happened since the previous result.
public struct VideoResult: Sendable {
    /// The time of the frame from the start of the stream.
    public internal(set) var time = MediaTime.zero
    /// The time at which the frame was captured, in nanoseconds since 1970; `nil` for files.
    public internal(set) var captureTime: UInt64?
    /// The width of the frame in pixels.
    public internal(set) var width = 0
    /// The height of the frame in pixels.
    public internal(set) var height = 0
    /// The objects of the frame, most prominent first, with boxes clipped to the frame. Coasting and lost objects are included; use
    /// ``visibleObjects`` to leave them out.
    public internal(set) var objects: [TrackedObject] = []
    /// The tracks that have begun, changed or ended.
    public internal(set) var trackEvents: [TrackedObjectEvent] = []
    /// The objects that have entered or left areas, or have crossed lines.
    public internal(set) var zoneEvents: [ZoneEvent] = []
    /// The counts of all zones since the beginning.
    public internal(set) var zoneCounts: [ZoneCount] = []
    /// The pixels, if ``VideoOptions/includesFrames`` is set.
    public internal(set) var frame: Frame?
    /// The number of results of a live source that were dropped before this one, because the consumer was slower. Their events are part
    /// of this result.
    public internal(set) var droppedResults = 0
    /// Warnings of the pipeline, with their remedies.
    public internal(set) var warnings: [String] = []

    /// The objects that were detected in this frame.
    public var visibleObjects: [TrackedObject] { objects.filter(\.isVisible) }
}
