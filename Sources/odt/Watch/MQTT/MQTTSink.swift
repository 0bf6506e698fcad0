import Playback
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
/// - `lost`: the number of dropped events, retained, only if events were dropped
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
    }

    private let topic: String
    private let discovery: HomeAssistantDiscovery?
    private let publisher: MQTTPublisher
    private let cameras = Mutex<[String: Camera]>([:])

    /// - Throws: ``PlaybackError`` if libmosquitto is missing. An unreachable broker is not an error: it is reported
    ///   and retried.
    init(_ options: MQTTOptions, notify: @escaping @Sendable (String) -> Void) throws {
        let library = try MosquittoLibrary()
        if let warning = options.warning { notify(warning) }
        topic = options.address.topic
        discovery = options.discoveryPrefix.map { HomeAssistantDiscovery(prefix: $0, topic: options.address.topic) }
        publisher = try MQTTPublisher(library, to: options.address, maximumBytes: options.queueSize, notify: notify)
        publisher.publish(retained: MQTTMessage("\(topic)/state", "online"))
    }

    func take(_ message: WatchMessage) {
        cameras.withLock { take(message, &$0[message.camera, default: meet(message.camera)]) }
    }

    private func take(_ message: WatchMessage, _ camera: inout Camera) {
        if camera.problems.take(message.fields) {
            let problems = camera.problems.names.sorted().joined(separator: ",")
            publisher.publish(retained: MQTTMessage("\(camera.topic)/alarm", problems.isEmpty ? "ok" : problems))
        }
        switch message.fields.name {
        case "swiftodt": takeResult(message, &camera)
        case "swiftodt-track": publisher.publish(event: MQTTMessage("\(camera.topic)/track", body(message)))
        case "swiftodt-zone": publisher.publish(event: MQTTMessage("\(camera.topic)/zone", body(message)))
        case "swiftodt-camera":
            let isConnected = message.fields.text("event") == "connected"
            publisher.publish(retained: Self.state(camera.topic, isOnline: isConnected))
        default: break
        }
    }

    func take(snapshot jpeg: [UInt8], of camera: String) {
        let topic = cameras.withLock { cameras in
            if let known = cameras[camera] { return known.topic }
            let new = meet(camera)
            cameras[camera] = new
            return new.topic
        }
        if let discovery { publisher.publish(retained: discovery.snapshot(of: camera)) }
        publisher.publish(retained: MQTTMessage("\(topic)/snapshot", bytes: jpeg))
    }

    func measure(into text: inout MetricsText) { publisher.measure(into: &text) }

    func close() {
        let topics = cameras.withLock { $0.values.map(\.topic) } + [topic]
        publisher.close(sending: topics.map { Self.state($0, isOnline: false) })
    }

    private func meet(_ name: String) -> Camera {
        if let discovery {
            publisher.publish(retained: discovery.connection(of: name))
            publisher.publish(retained: discovery.alarm(of: name))
        }
        return Camera(topic: "\(topic)/\(MQTTTopic.level(name))")
    }

    private func takeResult(_ message: WatchMessage, _ camera: inout Camera) {
        for zone in message.fields.list("zones") {
            let figures = ZoneCount(zone)
            let before = camera.figures.updateValue(figures, forKey: figures.name)
            guard before != figures else { continue }
            if let discovery {
                if before == nil { announce(figures, of: message.camera, discovery) }
                announceLabels(of: figures, message.camera, &camera, discovery)
            }
            publisher.publish(
                retained: MQTTMessage("\(camera.topic)/zones/\(MQTTTopic.level(figures.name))", figures.json.text))
        }
        let now = MonotonicClock.now
        if let last = camera.resultTime, now - last < Self.resultInterval { return }
        camera.resultTime = now
        publisher.publish(result: MQTTMessage("\(camera.topic)/objects", body(message)))
    }

    private func announce(_ figures: ZoneCount, of camera: String, _ discovery: HomeAssistantDiscovery) {
        let messages =
            figures.isLine
            ? discovery.crossings(of: figures.name, camera) : [discovery.count(of: figures.name, camera)]
        for message in messages { publisher.publish(retained: message) }
    }

    /// Announces a Home Assistant sensor for each new label in a zone. Objects without a label are counted only by the
    /// sensor of the whole zone.
    private func announceLabels(
        of figures: ZoneCount, _ name: String, _ camera: inout Camera, _ discovery: HomeAssistantDiscovery
    ) {
        guard !figures.isLine else { return }
        for label in figures.byLabel.keys.sorted() where !label.isEmpty {
            guard camera.labels[figures.name, default: []].insert(label).inserted else { continue }
            publisher.publish(retained: discovery.count(of: label, in: figures.name, name))
        }
    }

    private func body(_ message: WatchMessage) -> Substring {
        message.line.last == "\n" ? message.line.dropLast() : message.line[...]
    }

    private static func state(_ topic: String, isOnline: Bool) -> MQTTMessage {
        MQTTMessage("\(topic)/state", isOnline ? "online" : "offline")
    }
}
