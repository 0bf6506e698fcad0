import CGStreamer
import SwiftODT

/// A frame on its way through the element: its buffer, what was read from it, and the detection asked for it.
struct QueuedFrame {
    /// Owned by the queue until it is handed on.
    let buffer: UnsafeMutablePointer<GstBuffer>
    let format: StreamFormat
    let times: FrameTimes
    /// Its name in recordings.
    let key: FrameKey
    /// Steady running time, for tracking.
    let time: Nanoseconds
    /// When it was taken, as people reckon; see ``UTCTime``.
    let utcTime: UInt64
    let orientation: Orientation
    /// Why an epoch begins with it, where one does.
    let epochBreak: EpochRule.Break?
    /// Whether it was asked that all tracks end before it.
    let resetsTracks: Bool
    /// One consistent copy for the frame's whole way.
    let settings: Settings
    /// How often is looked, as its detector has it.
    let intervalPolicy: InferencePolicy.Interval
    /// Where tracking follows image motion.
    let luma: LumaPlane?
    /// A copy of its bytes, where it is likely to be drawn on and somebody else needs it as it is.
    let copy: FrameCopy?
    /// Whether its results are waited for, so that they do not depend on the machine's speed.
    let waits: Bool
    /// The detections whose results this frame takes up: its own where frames wait, else those that have ended by now.
    let answers: [StartedDetection]
    /// How long the streaming thread has been at work on it so far.
    let work: Nanoseconds

    /// Whether the next frame is chosen before this one is finished.
    var waitsForNext: Bool { answers.contains(where: \.overlapsNext) }
}

/// A detection and the frame that it was started at.
struct StartedDetection {
    let promise: DetectionPromise
    /// The part of the picture that is looked at; `nil` for all of it.
    let region: InferredRegion?
    /// Whether it is still under way when the next frame is chosen.
    let overlapsNext: Bool
    let time: Nanoseconds
    let timestamp: UInt64
    /// The frame's name in recordings.
    let key: FrameKey
    /// On the monotonic clock, for `stats`.
    let startedAt: Nanoseconds
    /// Who looks at it: lives until the answer is there, even where another takes its place meanwhile.
    let source: DetectionSource
}
