import Playback
import SwiftODT

/// What one camera says while it is watched.
struct WatchMessage {
    /// The camera's name.
    let camera: String
    /// When it was said, by the wall clock: nanoseconds since 1970.
    let time: Nanoseconds
    /// The same moment by the monotonic clock.
    let steady: Nanoseconds
    /// As the element said it (`swiftodt`, `swiftodt-track`, `swiftodt-zone`, each with the camera as `source`), or as the watch did:
    /// `swiftodt-camera` with `event` = `connected`, `lost`, `ended`, and the `reason`. Good until the sink returns.
    let fields: MessageFields
    /// The same as a line of JSON, with its line end.
    let line: String
    /// Whether its source can wait, as a file can; a camera goes on.
    let mayWait: Bool
}

/// Where messages go: the standard output, a broker, a store, a page. One of each serves all cameras of a process.
protocol WatchSink: AnyObject, Sendable {
    /// Takes a message over. Called by the threads of all cameras, and must not make cameras wait: what cannot be passed on at once
    /// is kept or, where it may be, left out.
    func take(_ message: WatchMessage)

    /// Passes on what is kept, for some seconds at most, and closes. Nothing is taken after that.
    func close()
}
