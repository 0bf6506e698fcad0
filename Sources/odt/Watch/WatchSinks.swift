import Playback
import SwiftODT

/// All places where messages go, made of what was asked for.
final class WatchSinks: Sendable {
    private let all: [any WatchSink]
    /// That which wants to see pictures.
    let viewer: (any PictureSink)?
    private let lines: JSONLines?
    /// That which notes what was recorded.
    private let store: StoreSink?

    /// - Throws: ``PlaybackError`` or ``CommandLineError`` where one cannot be had; then nothing has begun.
    init(_ options: WatchOptions, cameras: [String], notify: @escaping @Sendable (String) -> Void) throws {
        var sinks: [any WatchSink] = []
        let broker = try MQTTOptions(options)
        let store = try StoreOptions(options).map { try StoreSink($0, notify: notify) }
        if let store { sinks.append(store) }
        if let page = try PageOptions(options) { sinks.append(try LivePage(page, cameras: cameras, notify: notify)) }
        let name = options.text("json") ?? (options.has("quiet") ? nil : "-")
        let lines = try name.map { try JSONLines($0, notify: notify) }
        // Is told that the watch is there as soon as it is made, so by then all else is.
        if let broker { sinks.append(try MQTTSink(broker, notify: notify)) }
        // The last: whoever reads the lines of a file may hold it up, and so what comes after them.
        if let lines { sinks.append(lines) }
        (all, self.lines, self.store) = (sinks, lines, store)
        viewer = sinks.lazy.compactMap { $0 as? any PictureSink }.first
    }

    func take(_ message: WatchMessage) { for sink in all { sink.take(message) } }

    func take(_ segment: FinishedSegment, of camera: String) { store?.take(segment, of: camera) }

    func close() { for sink in all { sink.close() } }

    /// Whether nobody reads the lines any more, for which there was a reader.
    var isUnread: Bool { lines?.isUnread ?? false }
}
