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

/// All sinks of a watch.
final class WatchSinks: Sendable {
    private let all: [any WatchSink]
    /// The sink that receives pictures.
    let viewer: (any PictureSink)?
    private let lines: JSONLines?
    /// The sink that stores the places of recorded segments.
    private let store: StoreSink?

    /// - Throws: ``PlaybackError`` or ``CommandLineError`` if a sink cannot be created; then no camera has been
    /// started.
    init(_ options: WatchOptions, cameras: [String], notify: @escaping @Sendable (String) -> Void) throws {
        var sinks: [any WatchSink] = []
        let broker = try MQTTOptions(options)
        let store = try StoreOptions(options).map { try StoreSink($0, notify: notify) }
        if let store { sinks.append(store) }
        if let page = try PageOptions(options) { sinks.append(try LivePage(page, cameras: cameras, notify: notify)) }
        let name = options.text("json") ?? (options.has("quiet") ? nil : "-")
        let lines = try name.map { try JSONLines($0, notify: notify) }
        // Created last but one, because it announces that the watch is online as soon as it exists.
        if let broker { sinks.append(try MQTTSink(broker, notify: notify)) }
        // The last sink, because the reader of the lines may block messages about files, which then reach the other
        // sinks first.
        if let lines { sinks.append(lines) }
        (all, self.lines, self.store) = (sinks, lines, store)
        viewer = sinks.lazy.compactMap { $0 as? any PictureSink }.first
    }

    func take(_ message: WatchMessage) { for sink in all { sink.take(message) } }

    func take(_ segment: FinishedSegment, of camera: String) { store?.take(segment, of: camera) }

    func close() { for sink in all { sink.close() } }

    /// Whether the reader of the lines has closed the pipe.
    var isUnread: Bool { lines?.isUnread ?? false }
}

/// A sink that also receives annotated pictures: the live page.
protocol PictureSink: WatchSink {
    /// The maximum number of pictures per second and camera.
    var picturesPerSecond: Int { get }

    /// Returns whether a client watches this camera now; pictures are encoded only then. Called on the camera's
    /// streaming thread, so it must not block.
    func wantsPictures(of camera: String) -> Bool

    /// Receives a JPEG file. Called on a thread of the camera that only encodes pictures, so blocking reduces the
    /// rate of pictures.
    func take(picture jpeg: [UInt8], of camera: String)
}
