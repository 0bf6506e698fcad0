import ODTPlayback
import SwiftODT

struct WatchMessage {
    let camera: String
    /// The wall-clock time at which the message arrived, in nanoseconds since 1970.
    let time: Nanoseconds
    /// The monotonic time at which the message arrived, in nanoseconds.
    let steady: Nanoseconds
    /// The fields of the message. They are valid only until ``WatchSink/take(_:)`` returns.
    ///
    /// - `swiftodt`, `swiftodt-track` and `swiftodt-zone` are messages of the element. Their `source` is the camera's
    ///   name.
    /// - `swiftodt-camera` is about the connection. Its `event` is `connected`, `lost` or `ended`.
    /// - `swiftodt-alarm` is a ``CameraAlarm``.
    let fields: MessageFields
    /// The message as a line of JSON, including the line feed.
    let line: String
    /// Whether the sink may block until it can forward the message. It may block for a message about a file, because
    /// the file can be read later. It must not block for a message of a camera.
    let mayWait: Bool

    /// The wall-clock time of the message's frame, in nanoseconds since 1970. The gate can delay frames by some
    /// seconds. Equals ``time`` if the message has no `utc-time`, or if `utc-time` is later than ``time`` or more than
    /// ``CameraGate/longestCalm`` earlier, because the clock of the camera is wrong.
    var frameTime: Nanoseconds {
        guard let taken = fields.count("utc-time").flatMap({ Nanoseconds(exactly: $0) }),
            (0...CameraGate.longestCalm).contains(time.since(taken))
        else { return time }
        return taken
    }
}

/// A camera of the configuration and its redaction; `redaction` is `nil` if its properties cannot be evaluated.
typealias ConfiguredCamera = (name: String, redaction: RedactionFilter?)

/// A destination of messages: standard output, a broker, a database or a page. One instance serves all cameras.
protocol WatchSink: AnyObject, Sendable {
    /// Receives a message. Called on the threads of all cameras. It may block the thread only if the message may wait.
    /// A message that cannot be forwarded at once is queued or, if the queue is full, dropped.
    func take(_ message: WatchMessage)

    /// Receives a clip of an event. Must not block.
    func take(_ clip: SavedClip, of camera: String)

    /// Receives the picture of an event, a JPEG file, and the redaction of the picture. Must not block.
    func take(snapshot jpeg: [UInt8], of camera: String, redaction: RedactionFilter?)

    /// Called with the cameras of the new configuration when the configuration was read again.
    func use(_ cameras: [ConfiguredCamera])

    /// Forwards the queued messages, for some seconds at most, and closes the destination. ``take(_:)`` is not called
    /// afterwards.
    func close()
}

extension WatchSink {
    func take(_ clip: SavedClip, of camera: String) {}
    func take(snapshot jpeg: [UInt8], of camera: String, redaction: RedactionFilter?) {}
    func use(_ cameras: [ConfiguredCamera]) {}
    func close() {}
}

final class WatchSinks: Sendable {
    private let all: [any WatchSink]
    /// `nil` without a live page.
    let page: LivePage?
    private let lines: JSONLines?
    /// The sink that stores the paths of recorded segments; `nil` without a database.
    private let store: StoreSink?
    let metrics: MetricsBoard?
    private let metricsServer: PageServer?
    let events: EventSink

    init(_ plan: WatchPlan, notify: @escaping @Sendable (String) -> Void) throws {
        let (options, cameras) = (plan.options, plan.cameras.map(\.name))
        var sinks: [any WatchSink] = []
        let broker = try MQTTOptions(options)
        let store = try StoreOptions(options).map { try StoreSink($0, notify: notify) }
        if let store { sinks.append(store) }
        let (pageOptions, metricsOptions) = try (PageOptions(options), MetricsOptions(options))
        metrics = pageOptions == nil && metricsOptions == nil ? nil : MetricsBoard(options, cameras: cameras)
        var page: LivePage?
        if let metrics {
            sinks.append(metrics)
            if let pageOptions {
                let recordings = PageRecordings(
                    folder: try RecordOptions(options)?.folder.path, clips: try ClipOptions(options)?.folder.path,
                    store: try StoreOptions(options)?.path)
                recordings.use(Self.configured(plan.cameras))
                let live = try LivePage(pageOptions, metrics, cameras: cameras, recordings: recordings, notify: notify)
                page = live
                sinks.append(live)
            }
        }
        self.page = page
        events = try EventSink(plan.rules, notify: notify)
        sinks.append(events)
        let name = options.text("json") ?? (options.has("quiet") ? nil : "-")
        if let name { try ByteStream.check(outputs: [name], inputs: plan.cameras.map(\.source), mayReplace: true) }
        let lines = try name.map { try JSONLines($0, notify: notify) }
        // The sink for the MQTT broker announces at once that `odt watch` is online. It is therefore created after all
        // other sinks that can fail.
        if let broker { sinks.append(try MQTTSink(broker, notify: notify)) }
        // The sink for the lines of JSON comes last, because its reader may block messages about files. A blocked
        // message has then already reached all other sinks.
        if let lines { sinks.append(lines) }
        metrics?.add(sinks.compactMap { $0 as? any MeasuredSink })
        metricsServer = try metrics.flatMap { try metricsOptions?.server($0, notify: notify) }
        // The servers start after everything was created, so that the metrics are complete. This order also avoids a
        // deadlock: GLib can deadlock if a server and another thread register libsoup's types simultaneously. Only this
        // function starts servers. ``EventURL`` may be used later, after the configuration was read again.
        if page != nil || metricsServer != nil { EventURL.registerTypes() }
        try page?.start()
        try metricsServer?.start()
        (all, self.lines, self.store) = (sinks, lines, store)
    }

    func take(_ message: WatchMessage) { for sink in all { sink.take(message) } }

    func take(_ segment: FinishedSegment, of camera: String) {
        store?.take(segment, of: camera)
        metrics?.take(segment, of: camera)
    }

    func take(_ clip: SavedClip, of camera: String) { for sink in all { sink.take(clip, of: camera) } }

    func take(snapshot jpeg: [UInt8], of camera: String, redaction: RedactionFilter?) {
        for sink in all { sink.take(snapshot: jpeg, of: camera, redaction: redaction) }
    }

    func use(_ plans: [CameraPlan]) {
        let cameras = Self.configured(plans)
        for sink in all { sink.use(cameras) }
    }

    private static func configured(_ plans: [CameraPlan]) -> [ConfiguredCamera] {
        plans.map { ($0.name, RedactionFilter(of: $0)) }
    }

    /// Closes all sinks at the same time, because each waits for its own receivers.
    func close() {
        DetachedThread.runAll(all.map { sink in { sink.close() } })
        metricsServer?.close()
    }

    var isUnread: Bool { lines?.isUnread ?? false }

    /// Makes the next line of JSON check whether its file was moved.
    func checkFile() { lines?.checkFile() }
}
