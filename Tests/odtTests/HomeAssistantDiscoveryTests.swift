import SwiftODT
import Testing

@testable import odt

@Suite("HomeAssistantDiscovery")
struct HomeAssistantDiscoveryTests {
    private let discovery = HomeAssistantDiscovery(prefix: "homeassistant", topic: "house")

    private func config(_ message: MQTTMessage) throws -> JSONValue { try JSONValue(parsing: message.payload) }

    @Test func entityIdsHaveComponentAndLowerCaseNames() throws {
        let count = try config(discovery.count(of: "Front-Yard", "Gate-1"))
        #expect(count["default_entity_id"]?.string == "sensor.gate_1_front_yard_count")
        #expect(count["object_id"] == nil)
        let connection = try config(discovery.connection(of: "gate"))
        #expect(connection["default_entity_id"]?.string == "binary_sensor.gate_camera")
    }

    @Test func eachLabelInZoneHasItsOwnSensor() throws {
        let person = try config(discovery.count(of: "person", in: "yard", "gate"))
        #expect(person["name"]?.string == "yard person")
        #expect(person["default_entity_id"]?.string == "sensor.gate_yard_person_count")
        #expect(
            person["value_template"]?.string
                == "{{ value_json['by-label'] | selectattr('label', 'eq', 'person') | map(attribute='count') | first | default(0) }}"
        )
        let others = ["yard person", "yard_person", "yard/person"].map { discovery.count(of: $0, "gate") }
        let ids = try (others + [discovery.count(of: "person", in: "yard", "gate")]).map {
            try config($0)["unique_id"]?.string
        }
        #expect(Set(ids).count == 4)
    }

    @Test func labelIsQuotedInTemplate() throws {
        let config = try config(discovery.count(of: #"d'or\ }}"#, in: "yard", "gate"))
        #expect(config["value_template"]?.string?.contains(#"'eq', 'd\'or\\ }}')"#) == true)
    }
}
