import CODTGStreamer
import GstFrames
import SwiftODT

/// A frame on its way through the element, with the data that its processing stages pass on. All stages use the
/// settings from the time at which the frame arrived.
struct FrameContext {
    /// The buffer of the frame. The context holds no reference; the holder of the frame, for example the queue, owns
    /// the buffer.
    let buffer: UnsafeMutablePointer<GstBuffer>
    let times: FrameTimes
    /// The running time, made strictly increasing by ``SteadyClock``.
    let time: Nanoseconds
    /// The time at which the frame was captured (see ``UTCTime``).
    let utcTime: UInt64
    /// The number of the frame since the start of the stream, from 1.
    let number: Int
    /// Whether there has been a seek or a flush. If so, `number` is not the frame's position in the video.
    let hasJumped: Bool
    let format: StreamFormat
    let orientation: Orientation
    let settings: Settings
    let plan: SchedulePlan
    /// The interval between inferences, for the detector that was current when the frame arrived.
    let intervalPolicy: InferencePolicy.Interval
    /// The reason why an epoch begins with this frame. `nil` if no epoch begins.
    let epochBreak: EpochRule.Break?
    /// Whether the frame is the first of its epoch. `epochBreak` is `nil` for the first frame after a flush.
    let beginsEpoch: Bool
    /// Whether the previous frame was a still picture. Frames between the two may be missing.
    let followsStill: Bool
    /// Whether another stream, according to the event `stream-start`, begins with the frame. A flush can precede it.
    let beginsOtherStream: Bool
    /// Whether all tracks end before this frame (action signal `reset-tracks`).
    let resetsTracks: Bool
    var precomputed = PrecomputedResult.unknown
    /// `nil` if motion compensation is off.
    var luma: LumaPlane?
    /// A copy of the frame that was made in advance for drawing. `nil` unless the frame will probably be drawn on while
    /// another element references its memory.
    var copy: FrameCopy?
    /// The inferences whose results are assigned to this frame. If the frame waits for its own inference, the array
    /// contains this inference, preceded by an inference that was still in flight when frames began to wait, if there
    /// was one. Otherwise it contains all inferences that have finished since the previous frame.
    var answers: [StartedDetection] = []
    /// The time that the streaming thread has spent on the frame so far.
    var work: Nanoseconds = 0

    var width: Int { format.width }
    var height: Int { format.height }
    var isGap: Bool { GstBufferReference.hasFlag(buffer, GST_BUFFER_FLAG_GAP) }

    /// `nil` if the frame has no valid time.
    var streamTime: Nanoseconds? { times.validStreamTime }

    var key: FrameKey { streamTime.map { .time($0) } ?? .number(number) }

    /// 0/1 if the frame rate is variable.
    var frameRate: RecordingHeader.Rational {
        let (numerator, denominator) = (Int(format.info.fps_n), Int(format.info.fps_d))
        return numerator > 0 && denominator > 0
            ? RecordingHeader.Rational(numerator, denominator) : RecordingHeader.Rational(0, 1)
    }

    /// Returns `nil` if the frame cannot be mapped.
    func withFrame<Result>(_ body: (Frame) throws -> Result) rethrows -> Result? {
        try format.withFrame(of: buffer, orientation: orientation, time: time, body)
    }

    /// Calls `body` with the mapped frame, or with a black frame if the buffer is in device memory and is not mapped.
    func withFrameOrSubstitute<Result>(_ body: (Frame, _ hasPixels: Bool) throws -> Result) rethrows -> Result? {
        try format.withFrame(
            of: buffer, mapsDeviceMemory: settings.mapMemory, orientation: orientation, time: time, body)
    }
}

struct StartedDetection {
    let promise: DetectionPromise
    /// `nil` for the full frame.
    let region: InferredRegion?
    /// Whether this inference may still be in flight when the next frame is scheduled.
    let overlapsNext: Bool
    let time: Nanoseconds
    let timestamp: UInt64
    let key: FrameKey
    /// The time on the monotonic clock at which the inference was started, for the property `stats`.
    let startedAt: Nanoseconds
    /// The source that runs the inference. It must stay alive until the result is available, even if another source has
    /// replaced it.
    let source: DetectionSource
}
