import CGStreamer
import GstFrames
import SwiftODT

/// A frame on its way through the element: what is known when it arrives. All stages use the settings of that moment.
struct FrameContext {
    /// Owned by whoever holds the frame.
    let buffer: UnsafeMutablePointer<GstBuffer>
    let times: FrameTimes
    /// Running time made monotonic by ``SteadyClock``, for tracking.
    let time: Nanoseconds
    /// The capture time; see ``UTCTime``.
    let utcTime: UInt64
    /// The number of the frame since the start of the stream, beginning with 1.
    let number: Int
    /// Whether there has been a seek or a flush, after which the number is not the position in the video.
    let hasJumped: Bool
    let format: StreamFormat
    let orientation: Orientation
    let settings: Settings
    let plan: SchedulePlan
    /// The interval between inferences for the frame's detector.
    let intervalPolicy: InferencePolicy.Interval
    /// The reason why an epoch begins with the frame; `nil` if none does.
    let epochBreak: EpochRule.Break?
    /// Whether all tracks must end before this frame, because of the action signal `reset-tracks`.
    let resetsTracks: Bool
    var precomputed = PrecomputedResult.open

    var width: Int { format.width }
    var height: Int { format.height }
    var isGap: Bool { GstBufferReference.hasFlag(buffer, GST_BUFFER_FLAG_GAP) }

    /// The position in the video; `nil` if the frame has no valid time.
    var streamTime: Nanoseconds? {
        Nanoseconds(exactly: times.streamTime).flatMap { $0.isInRange ? $0 : nil }
    }

    /// The key of the frame in a recording.
    var key: FrameKey { streamTime.map { .time($0) } ?? .number(number) }

    /// The frame rate of the caps; 0/1 if it is variable.
    var frameRate: RecordingHeader.Rational {
        let (numerator, denominator) = (Int(format.info.fps_n), Int(format.info.fps_d))
        return numerator > 0 && denominator > 0
            ? RecordingHeader.Rational(numerator, denominator) : RecordingHeader.Rational(0, 1)
    }

    /// Calls `body` with the mapped frame; returns `nil` if it cannot be mapped.
    func withFrame<Result>(_ body: (Frame) throws -> Result) rethrows -> Result? {
        try format.withFrame(of: buffer, orientation: orientation, time: time, body)
    }
}

/// A frame in the queue with the detections assigned to it.
struct QueuedFrame {
    let context: FrameContext
    /// The grey copy for motion compensation; `nil` if it is not needed.
    var luma: LumaPlane?
    /// A copy of the frame's memory, if it is likely to be drawn on while another element references the original.
    var copy: FrameCopy?
    /// The detections assigned to this frame: its own if it waits for them, otherwise those that finished since the
    /// previous frame.
    var answers: [StartedDetection] = []
    /// The time that the streaming thread has spent on the frame so far.
    var work: Nanoseconds = 0

    var buffer: UnsafeMutablePointer<GstBuffer> { context.buffer }
    var settings: Settings { context.settings }
    var time: Nanoseconds { context.time }
    /// Whether the frame waits for its results, so that they do not depend on the speed of the machine.
    var waits: Bool { context.plan.waits }

    /// Whether the next frame is scheduled before this one is finished.
    var waitsForNext: Bool { answers.contains(where: \.overlapsNext) }
}

/// A detection with the frame on which it was started.
struct StartedDetection {
    let promise: DetectionPromise
    /// The region of the inference; `nil` for the full frame.
    let region: InferredRegion?
    /// Whether it is still in flight when the next frame is scheduled.
    let overlapsNext: Bool
    let time: Nanoseconds
    let timestamp: UInt64
    /// The frame's key in recordings.
    let key: FrameKey
    /// Monotonic clock time, for `stats`.
    let startedAt: Nanoseconds
    /// The source that runs the detection. It must stay alive until the result is available, even if another source
    /// replaces it.
    let source: DetectionSource
}
