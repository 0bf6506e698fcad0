import Playback
import SwiftODT

/// A message about one camera.
struct WatchMessage {
    /// The camera's name.
    let camera: String
    /// The wall time of the message in nanoseconds since 1970.
    let time: Nanoseconds
    /// The same moment by the monotonic clock, in nanoseconds.
    let steady: Nanoseconds
    /// The fields of a message of the element (`swiftodt`, `swiftodt-track`, `swiftodt-zone`, with the camera as
    /// `source`) or of the watch (`swiftodt-camera` with the `event` `connected`, `lost` or `ended`, and the
    /// `reason`). Valid until the sink returns.
    let fields: MessageFields
    /// The message as a line of JSON, including the line feed.
    let line: String
    /// Whether the sink may block: a file can wait, a camera cannot.
    let mayWait: Bool
}

/// A destination of messages: standard output, a broker, a database or a page. One instance serves all cameras.
protocol WatchSink: AnyObject, Sendable {
    /// Receives a message. Called on the threads of all cameras, which it must not block: a message that cannot be
    /// forwarded at once is queued or, if necessary, dropped.
    func take(_ message: WatchMessage)

    /// Forwards queued messages for some seconds at most, and closes. No message is received after that.
    func close()
}
