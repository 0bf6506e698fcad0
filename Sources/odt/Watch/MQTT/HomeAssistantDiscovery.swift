import CVersion
import SwiftODT

/// Tells Home Assistant, in its MQTT integration's format, what there is to be shown: each camera as a device with its connection, how
/// many are in each zone, and how many have crossed each line.
struct HomeAssistantDiscovery: Sendable {
    static let usualPrefix = "homeassistant"

    /// Below which topic it looks for that.
    let prefix: String
    /// What all topics of this watch begin with.
    let topic: String

    /// Whether the camera is connected.
    func connection(of camera: String) -> MQTTMessage {
        message(
            "binary_sensor", "camera", of: camera,
            [
                "name": .string("Connection"), "state_topic": .string("\(topic)/\(MQTTTopic.level(camera))/state"),
                "payload_on": .string("online"), "payload_off": .string("offline"),
                "device_class": .string("connectivity"), "entity_category": .string("diagnostic"),
                "availability": .array([availability("\(topic)/state")]),
            ])
    }

    /// How many are in a zone now; the other figures come as attributes.
    func count(of zone: String, _ camera: String) -> MQTTMessage {
        figure("count", zone, zone, "measurement", of: camera)
    }

    /// How many have crossed a line, each way.
    func crossings(of line: String, _ camera: String) -> [MQTTMessage] {
        ["in", "out"].map { figure($0, "\(line) \($0)", line, "total_increasing", of: camera) }
    }

    private func figure(_ field: String, _ name: String, _ zone: String, _ kind: String, of camera: String)
        -> MQTTMessage
    {
        let base = "\(topic)/\(MQTTTopic.level(camera))"
        let figures = JSONValue.string("\(base)/zones/\(MQTTTopic.level(zone))")
        return message(
            "sensor", "\(MQTTTopic.slug(zone))_\(field)", of: camera,
            [
                "name": .string(name), "state_topic": figures, "json_attributes_topic": figures,
                "value_template": .string("{{ value_json['\(field)'] }}"), "state_class": .string(kind),
                "unit_of_measurement": .string("objects"), "icon": .string("mdi:counter"),
                "availability": .array([availability("\(topic)/state"), availability("\(base)/state")]),
                "availability_mode": .string("all"),
            ])
    }

    private func availability(_ topic: String) -> JSONValue { .object(["topic": .string(topic)]) }

    private func message(
        _ component: String, _ object: String, of camera: String, _ members: [String: JSONValue]
    ) -> MQTTMessage {
        let node = "swiftodt_\(MQTTTopic.slug("\(topic)/\(camera)"))"
        let version = JSONValue.string(SWIFTODT_VERSION)
        let more: [String: JSONValue] = [
            "unique_id": .string("\(node)_\(object)"), "object_id": .string("\(MQTTTopic.slug(camera))_\(object)"),
            "device": .object([
                "identifiers": .array([.string(node)]), "name": .string(camera), "manufacturer": .string("swiftodt"),
                "model": .string("odt watch"), "sw_version": version,
            ]),
            "origin": .object(["name": .string("swiftodt"), "sw_version": version]),
        ]
        return MQTTMessage(
            "\(prefix)/\(component)/\(node)/\(object)/config",
            JSONValue.object(members.merging(more) { first, _ in first }).text)
    }
}
