import Playback
import SwiftODT
import Synchronization

/// Tells a broker what is seen. Below the topic that the address names:
///
/// - `state`, `CAMERA/state`: `online` or `offline`, retained
/// - `CAMERA/track`, `CAMERA/zone`: events, each at least once and in order
/// - `CAMERA/zones/ZONE`: what is counted there, retained, where it changes
/// - `CAMERA/objects`: a result a second at most, some of which are lost
/// - `lost`: how many events were left out, if any were, retained
final class MQTTSink: WatchSink {
    private static let resultInterval: Nanoseconds = 1_000_000_000

    /// What is known of one camera.
    private struct Camera {
        let topic: String
        var resultTime: Nanoseconds?
        /// What was said of each zone last.
        var figures: [String: ZoneFigures] = [:]
        /// By zone, the labels that Home Assistant has a sensor for.
        var labels: [String: Set<String>] = [:]
    }

    private let topic: String
    private let discovery: HomeAssistantDiscovery?
    private let publisher: MQTTPublisher
    private let cameras = Mutex<[String: Camera]>([:])

    /// - Throws: ``PlaybackError`` where libmosquitto is missing. A broker that is not there is said, and waited for.
    init(_ options: MQTTOptions, notify: @escaping @Sendable (String) -> Void) throws {
        let library = try MosquittoLibrary()
        if let warning = options.warning { notify(warning) }
        topic = options.address.topic
        discovery = options.discoveryPrefix.map { HomeAssistantDiscovery(prefix: $0, topic: options.address.topic) }
        let broker = Broker(
            address: options.address, tls: options.tls, will: MQTTMessage("\(options.address.topic)/state", "offline"))
        publisher = try MQTTPublisher(library, to: broker, maximumBytes: options.queueSize, notify: notify)
        publisher.publish(retained: MQTTMessage("\(topic)/state", "online"))
    }

    func take(_ message: WatchMessage) {
        cameras.withLock { take(message, &$0[message.camera, default: meet(message.camera)]) }
    }

    private func take(_ message: WatchMessage, _ camera: inout Camera) {
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

    func close() {
        let topics = cameras.withLock { $0.values.map(\.topic) } + [topic]
        publisher.close(sending: topics.map { Self.state($0, isOnline: false) })
    }

    private func meet(_ name: String) -> Camera {
        if let discovery { publisher.publish(retained: discovery.connection(of: name)) }
        return Camera(topic: "\(topic)/\(MQTTTopic.level(name))")
    }

    private func takeResult(_ message: WatchMessage, _ camera: inout Camera) {
        for zone in message.fields.list("zones") {
            let figures = ZoneFigures(zone)
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

    private func announce(_ figures: ZoneFigures, of camera: String, _ discovery: HomeAssistantDiscovery) {
        let messages =
            figures.isLine
            ? discovery.crossings(of: figures.name, camera) : [discovery.count(of: figures.name, camera)]
        for message in messages { publisher.publish(retained: message) }
    }

    /// A sensor for each label that a zone counts; an object without a label counts in the zone's own sensor alone.
    private func announceLabels(
        of figures: ZoneFigures, _ name: String, _ camera: inout Camera, _ discovery: HomeAssistantDiscovery
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
