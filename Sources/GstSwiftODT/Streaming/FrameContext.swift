import SwiftODT

/// The properties of a frame that identify it in a recording of detections.
struct FrameContext {
    let times: FrameTimes
    /// The number of the frame since the start of the stream, beginning with 1.
    let number: Int
    /// Whether there has been a seek or a flush, after which the number is not the position in the video.
    let hasJumped: Bool
    let format: StreamFormat
    let orientation: Orientation
    let settings: Settings

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
}
