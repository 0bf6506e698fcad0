import SwiftODT

/// A frame as far as recordings of detections ask.
struct FrameContext {
    let times: FrameTimes
    /// How many frames have come since the stream began, this one included.
    let number: Int
    /// Whether there was a seek or a flush since then, so that the number does not say where in the video it is.
    let hasJumped: Bool
    let format: StreamFormat
    let orientation: Orientation
    let settings: Settings

    /// Where in the video it is; `nil` where it has no time.
    var streamTime: Nanoseconds? {
        Nanoseconds(exactly: times.streamTime).flatMap { $0.isInRange ? $0 : nil }
    }

    /// Its name in a recording.
    var key: FrameKey { streamTime.map { .time($0) } ?? .number(number) }

    /// Frames a second as the caps have it; 0/1 where that varies.
    var frameRate: RecordingHeader.Rational {
        let (numerator, denominator) = (Int(format.info.fps_n), Int(format.info.fps_d))
        return numerator > 0 && denominator > 0
            ? RecordingHeader.Rational(numerator, denominator) : RecordingHeader.Rational(0, 1)
    }
}
