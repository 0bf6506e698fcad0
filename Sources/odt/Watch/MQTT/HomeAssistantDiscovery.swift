import CVersion
import SwiftODT

/// Discovery messages of Home Assistant's MQTT integration: each camera is a device with sensors for its connection, for the objects in
/// each zone, in all and by label, and for the crossings of each line.
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

    /// The objects in a zone now; the other figures come as attributes.
    func count(of zone: String, _ camera: String) -> MQTTMessage {
        figure("\(MQTTTopic.slug(zone))_count", zone, "value_json['count']", zone, "measurement", of: camera)
    }

    /// The objects of one label in a zone now.
    func count(of label: String, in zone: String, _ camera: String) -> MQTTMessage {
        let value =
            "value_json['by-label'] | selectattr('label', 'eq', \(Self.quoted(label))) | map(attribute='count') | first | default(0)"
        // The slash makes the slug unique: no zone's own sensor has the same.
        return figure(
            "\(MQTTTopic.slug("\(zone)/\(label)"))_count", "\(zone) \(label)", value, zone, "measurement", of: camera,
            called: "\(MQTTTopic.slug(zone))_\(MQTTTopic.slug(label))_count")
    }

    /// The crossings of a line, each way.
    func crossings(of line: String, _ camera: String) -> [MQTTMessage] {
        ["in", "out"].map { way in
            figure(
                "\(MQTTTopic.slug(line))_\(way)", "\(line) \(way)", "value_json['\(way)']", line, "total_increasing",
                of: camera)
        }
    }

    /// - Parameters:
    ///   - object: unique among the camera's sensors.
    ///   - value: an expression of Home Assistant's templates.
    ///   - alias: what the entity id ends with, where that is not `object`.
    private func figure(
        _ object: String, _ name: String, _ value: String, _ zone: String, _ kind: String, of camera: String,
        called alias: String? = nil
    ) -> MQTTMessage {
        let base = "\(topic)/\(MQTTTopic.level(camera))"
        let figures = JSONValue.string("\(base)/zones/\(MQTTTopic.level(zone))")
        return message(
            "sensor", object, of: camera, called: alias,
            [
                "name": .string(name), "state_topic": figures, "json_attributes_topic": figures,
                "value_template": .string("{{ \(value) }}"), "state_class": .string(kind),
                "unit_of_measurement": .string("objects"), "icon": .string("mdi:counter"),
                "availability": .array([availability("\(topic)/state"), availability("\(base)/state")]),
                "availability_mode": .string("all"),
            ])
    }

    /// Entity ids are of lower-case letters, digits and `_`.
    private static func entity(_ name: String) -> String {
        String(name.lowercased().map { $0 == "-" ? "_" : $0 })
    }

    /// As a text in a template.
    private static func quoted(_ text: String) -> String {
        let escaped = text.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "'\(String(escaped))'"
    }

    private func availability(_ topic: String) -> JSONValue { .object(["topic": .string(topic)]) }

    private func message(
        _ component: String, _ object: String, of camera: String, called alias: String? = nil,
        _ members: [String: JSONValue]
    ) -> MQTTMessage {
        let node = "swiftodt_\(MQTTTopic.slug("\(topic)/\(camera)"))"
        let version = JSONValue.string(SWIFTODT_VERSION)
        let more: [String: JSONValue] = [
            "unique_id": .string("\(node)_\(object)"),
            "default_entity_id": .string("\(component).\(Self.entity("\(MQTTTopic.slug(camera))_\(alias ?? object)"))"),
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
