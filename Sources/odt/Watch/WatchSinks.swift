import Playback
import SwiftODT

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
