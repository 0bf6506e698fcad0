import ODTPlayback
import SwiftODT
import Synchronization

/// Publishes messages to an MQTT broker. Their topics begin with the topic prefix of the broker's address:
///
/// - `state`, `CAMERA/state`: `online` or `offline`, retained
/// - `CAMERA/track`, `CAMERA/zone`: events, at least once each and in order (QoS 1)
/// - `CAMERA/zones/ZONE`: the counts of a zone, retained, after each change
/// - `CAMERA/alarm`: `ok` or the problems of the picture (``CameraAlarm``), separated by commas, retained
/// - `CAMERA/snapshot`: the picture of the latest event of which a clip is saved, a JPEG file, retained
/// - `CAMERA/objects`: at most one result per second, may be lost (QoS 0)
/// - `lost`: the number of dropped events, retained
final class MQTTSink: MeasuredSink {
    private static let resultInterval: Nanoseconds = 1_000_000_000

    private struct Camera {
        let topic: String
        /// The monotonic time at which the latest result was published; `nil` before the first one.
        var resultTime: Nanoseconds?
        /// The latest published counts of each zone.
        var figures: [String: ZoneCount] = [:]
        var problems = CameraProblems()
        /// The labels for which a Home Assistant sensor was announced, by zone.
        var labels: [String: Set<String>] = [:]
        /// The topics of the retained messages by zone; the key `nil` is for messages that concern no zone.
        var retained: [String?: Set<String>] = [:]
    }

    private struct State {
        var cameras: [String: Camera] = [:]
        var snapshots = SnapshotRedaction()
    }

    private let topic: String
    private let discovery: HomeAssistantDiscovery?
    private let publisher: MQTTPublisher
    private let state = Mutex(State())

    /// - Throws: ``PlaybackError`` if libmosquitto is missing. An unreachable broker is not an error: it is reported
    ///   and retried.
    init(_ options: MQTTOptions, notify: @escaping @Sendable (String) -> Void) throws {
        let library = try MosquittoLibrary()
        if let warning = options.warning { notify(warning) }
        topic = options.address.topic
        discovery = options.discoveryPrefix.map { HomeAssistantDiscovery(prefix: $0, topic: options.address.topic) }
        publisher = try MQTTPublisher(library, to: options.address, maximumBytes: options.queueSize, notify: notify)
        publisher.publish(retained: MQTTMessage("\(topic)/state", "online"))
        // The broker may have the number of an earlier run.
        publisher.publish(retained: MQTTMessage("\(topic)/lost", "0"))
    }

    func take(_ message: WatchMessage) {
        state.withLock { state in
            // A removed camera still reports its end.
            guard state.snapshots.filters.keys.contains(message.camera) else { return }
            take(message, &state.cameras[message.camera, default: makeCamera(message.camera)])
        }
    }

    private func take(_ message: WatchMessage, _ camera: inout Camera) {
        if camera.problems.take(message.fields) {
            let problems = camera.problems.names.sorted().joined(separator: ",")
            publish(MQTTMessage("\(camera.topic)/alarm", problems.isEmpty ? "ok" : problems), of: &camera)
        }
        switch message.fields.name {
        case "swiftodt": takeResult(message, &camera)
        case "swiftodt-track": publisher.publish(event: MQTTMessage("\(camera.topic)/track", body(message)))
        case "swiftodt-zone": publisher.publish(event: MQTTMessage("\(camera.topic)/zone", body(message)))
        case "swiftodt-camera":
            let isConnected = message.fields.text("event") == "connected"
            publish(Self.state(camera.topic, isOnline: isConnected), of: &camera)
        default: break
        }
    }

    func take(snapshot jpeg: [UInt8], of camera: String, redaction: RedactionFilter?) {
        state.withLock { state in
            guard state.snapshots.permits(redaction, of: camera) else { return }
            publish(jpeg, camera, of: &state.cameras[camera, default: makeCamera(camera)])
        }
    }

    private func publish(_ jpeg: [UInt8], _ name: String, of camera: inout Camera) {
        if let discovery { publish(discovery.snapshot(of: name), of: &camera) }
        publish(MQTTMessage("\(camera.topic)/snapshot", bytes: jpeg), of: &camera)
    }

    /// Removes the retained messages of cameras that are no longer in the configuration, and pictures without the
    /// redaction that the configuration requests. An empty payload removes a retained message.
    func use(_ configured: [ConfiguredCamera]) {
        let filters = Dictionary(uniqueKeysWithValues: configured.map { ($0.name, $0.redaction) })
        state.withLock { state in
            for (name, camera) in state.cameras where !filters.keys.contains(name) {
                state.cameras[name] = nil
                for topics in camera.retained.values { remove(topics) }
            }
            for name in state.snapshots.use(filters) { remove(["\(topic)/\(MQTTTopic.level(name))/snapshot"]) }
        }
    }

    private func remove(_ topics: Set<String>) {
        // Home Assistant forgets a sensor before the sensor's topic gets an empty payload, which is not valid JSON.
        for topic in topics.sorted(by: { $0.hasSuffix("/config") && !$1.hasSuffix("/config") }) {
            publisher.publish(retained: MQTTMessage(topic, ""))
        }
    }

    /// Publishes a retained message, and notes its topic.
    private func publish(_ message: MQTTMessage, zone: String? = nil, of camera: inout Camera) {
        camera.retained[zone, default: []].insert(message.topic)
        publisher.publish(retained: message)
    }

    func measure(into text: inout MetricsText) { publisher.measure(into: &text) }

    func close() {
        let topics = state.withLock { $0.cameras.values.map(\.topic) } + [topic]
        publisher.close(sending: topics.map { Self.state($0, isOnline: false) })
    }

    private func makeCamera(_ name: String) -> Camera {
        var camera = Camera(topic: "\(topic)/\(MQTTTopic.level(name))")
        // An earlier run may have published a picture.
        camera.retained[nil] = ["\(camera.topic)/snapshot"]
        if let discovery {
            publish(discovery.connection(of: name), of: &camera)
            publish(discovery.alarm(of: name), of: &camera)
        }
        return camera
    }

    private func takeResult(_ message: WatchMessage, _ camera: inout Camera) {
        let zones = message.fields.list("zones").map { ZoneCount($0) }
        // Each result has all zones. Others are from before a change of the configuration.
        for old in camera.figures.values where !zones.contains(where: { ($0.name, $0.kind) == (old.name, old.kind) }) {
            remove(camera.retained.removeValue(forKey: old.name) ?? [])
            (camera.figures[old.name], camera.labels[old.name]) = (nil, nil)
        }
        for figures in zones {
            let before = camera.figures.updateValue(figures, forKey: figures.name)
            guard before != figures else { continue }
            if let discovery {
                if before == nil { announce(figures, message.camera, &camera, discovery) }
                announceLabels(of: figures, message.camera, &camera, discovery)
            }
            let topic = "\(camera.topic)/zones/\(MQTTTopic.level(figures.name))"
            publish(MQTTMessage(topic, figures.json.text), zone: figures.name, of: &camera)
        }
        let now = MonotonicClock.now
        if let last = camera.resultTime, now - last < Self.resultInterval { return }
        camera.resultTime = now
        publisher.publish(result: MQTTMessage("\(camera.topic)/objects", body(message)))
    }

    private func announce(
        _ figures: ZoneCount, _ name: String, _ camera: inout Camera, _ discovery: HomeAssistantDiscovery
    ) {
        let messages =
            figures.isLine ? discovery.crossings(of: figures.name, name) : [discovery.count(of: figures.name, name)]
        for message in messages { publish(message, zone: figures.name, of: &camera) }
    }

    /// Announces a Home Assistant sensor for each new label in a zone. Objects without a label are counted only by the
    /// sensor of the whole zone.
    private func announceLabels(
        of figures: ZoneCount, _ name: String, _ camera: inout Camera, _ discovery: HomeAssistantDiscovery
    ) {
        guard !figures.isLine else { return }
        for label in figures.byLabel.keys.sorted() where !label.isEmpty {
            guard camera.labels[figures.name, default: []].insert(label).inserted else { continue }
            publish(discovery.count(of: label, in: figures.name, name), zone: figures.name, of: &camera)
        }
    }

    private func body(_ message: WatchMessage) -> Substring {
        message.line.last == "\n" ? message.line.dropLast() : message.line[...]
    }

    private static func state(_ topic: String, isOnline: Bool) -> MQTTMessage {
        MQTTMessage("\(topic)/state", isOnline ? "online" : "offline")
    }
}

/// Decides which pictures of events may be kept by the broker: only those with the redaction of the present
/// configuration.
struct SnapshotRedaction {
    /// The redaction of a camera; `nil` if its properties cannot be evaluated.
    typealias Filter = RedactionFilter?

    /// The cameras of the configuration.
    private(set) var filters: [String: Filter] = [:]

    /// Uses the cameras of a new configuration. Returns the cameras whose earlier pictures must be removed. At the
    /// start of the program these are all cameras with redaction, because the redaction of an earlier run is unknown.
    mutating func use(_ new: [String: Filter]) -> [String] {
        let removed = new.filter { name, filter in
            filters[name].map { $0 != filter } ?? (filter == nil || filter?.properties != nil)
        }
        filters = new
        return Array(removed.keys)
    }

    /// Returns whether a picture may be published. After the configuration was read again, the earlier connection of a
    /// camera can still deliver pictures.
    ///
    /// - Parameter redaction: The redaction of the picture.
    func permits(_ redaction: Filter, of camera: String) -> Bool {
        guard let redaction, let present = filters[camera] else { return false }
        return redaction == present
    }
}

extension ZoneCount {
    var isLine: Bool { kind == .line }

    /// The counts as JSON in the format of the element's messages, sorted by label.
    var json: JSONValue {
        let labels = byLabel.sorted { $0.key < $1.key }.map { label, counts in
            JSONValue.object(counts.json(isLine: isLine).merging(["label": .string(label)]) { first, _ in first })
        }
        return .object(
            all.json(isLine: isLine).merging(
                ["name": .string(name), "kind": .string(kind.rawValue), "by-label": .array(labels)]
            ) { first, _ in first })
    }
}

extension ZoneCount.Counts {
    func json(isLine: Bool) -> [String: JSONValue] {
        let counts = isLine ? [("in", `in`), ("out", out)] : [("count", count), ("entered", entered), ("left", left)]
        return Dictionary(uniqueKeysWithValues: counts.map { ($0, .number(Double($1))) })
    }
}
