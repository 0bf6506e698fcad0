import CODTVersion
import SwiftODT

/// Creates discovery messages for Home Assistant's MQTT integration. Each camera is a device. Its sensors are the state
/// of its connection, the number of objects in each zone (total and by label), and the crossings of each line. An image
/// shows the latest event of which a clip was saved.
struct HomeAssistantDiscovery: Sendable {
    static let usualPrefix = "homeassistant"

    /// The topic prefix of Home Assistant's discovery messages.
    let prefix: String
    /// The topic prefix of the messages of this `odt watch`.
    let topic: String

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

    func alarm(of camera: String) -> MQTTMessage {
        let base = "\(topic)/\(MQTTTopic.level(camera))"
        return message(
            "binary_sensor", "alarm", of: camera,
            [
                "name": .string("Picture"), "state_topic": .string("\(base)/alarm"),
                "value_template": .string("{{ 'OFF' if value == 'ok' else 'ON' }}"), "device_class": .string("problem"),
                "entity_category": .string("diagnostic"), "availability_mode": .string("all"),
                "availability": .array([availability("\(topic)/state"), availability("\(base)/state")]),
            ])
    }

    func snapshot(of camera: String) -> MQTTMessage {
        message(
            "image", "snapshot", of: camera,
            [
                "name": .string("Latest event"), "image_topic": .string("\(topic)/\(MQTTTopic.level(camera))/snapshot"),
                "content_type": .string("image/jpeg"), "availability": .array([availability("\(topic)/state")]),
            ])
    }

    /// The zone's other counts are attributes of the sensor.
    func count(of zone: String, _ camera: String) -> MQTTMessage {
        figure("\(MQTTTopic.slug(zone))_count", zone, "value_json['count']", zone, "measurement", of: camera)
    }

    func count(of label: String, in zone: String, _ camera: String) -> MQTTMessage {
        let value =
            "value_json['by-label'] | selectattr('label', 'eq', \(Self.quoted(label))) | map(attribute='count') | first | default(0)"
        // The slug contains a hash of both names with a NUL between them. Zone names contain no NUL, so the slug
        // differs from the slug of any zone.
        return figure(
            "\(MQTTTopic.slug("\(zone)\0\(label)"))_count", "\(zone) \(label)", value, zone, "measurement", of: camera,
            called: "\(MQTTTopic.slug(zone))_\(MQTTTopic.slug(label))_count")
    }

    func crossings(of line: String, _ camera: String) -> [MQTTMessage] {
        ["in", "out"].map { way in
            figure(
                "\(MQTTTopic.slug(line))_\(way)", "\(line) \(way)", "value_json['\(way)']", line, "total_increasing",
                of: camera)
        }
    }

    /// - Parameters:
    ///   - object: The id of the sensor, which is unique among the camera's sensors.
    ///   - value: A Home Assistant template expression for the sensor's value.
    ///   - alias: The end of the entity id; `nil` to use `object`.
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

    /// Converts a name to an entity id, which consists of lower-case letters, digits and `_`.
    private static func entity(_ name: String) -> String {
        String(name.lowercased().map { $0 == "-" ? "_" : $0 })
    }

    /// Quotes a text for a Home Assistant template.
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
