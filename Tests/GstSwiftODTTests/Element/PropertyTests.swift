import CODTGStreamer
import GstFrames
import Synchronization
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests that the behaviour of each property follows from its row in the table.
@Suite struct PropertyTests {
    @Test func reidentifyWithoutLabelsWarns() {
        let element = StartedElement("detector=motion reidentify=true")
        #expect(element.takeMessage(GST_MESSAGE_WARNING)?.contains("reidentify has no effect") == true)
    }

    /// A check that refers to a misspelt property would never run.
    @Test func checksReferToExistingProperties() {
        let names = Set(Settings.properties.map(\.name))
        #expect(names.count == Settings.properties.count)
        for check in Settings.checks { #expect(names.isSuperset(of: check.properties), "\(check.properties)") }
    }

    /// Two rows with the same key path would overwrite each other: all properties are set to other values than their
    /// defaults, and must keep them.
    @Test func propertiesHaveDistinctStorage() {
        let harness = ElementHarness()
        let settable = Settings.properties.filter { $0.mutability != .readOnly && $0.subject == $0.name }
        for property in settable {
            var value = spec(property.name, of: harness).another
            g_object_set_property(harness.object, property.name, &value)
            g_value_unset(&value)
        }
        for property in settable {
            let spec = spec(property.name, of: harness)
            var (expected, now) = (spec.another, GValue())
            g_value_init(&now, expected.g_type)
            g_object_get_property(harness.object, property.name, &now)
            #expect(g_param_values_cmp(spec, &expected, &now) == 0, "\(property.name)")
            g_value_unset(&expected)
            g_value_unset(&now)
        }
    }

    /// Setting NULL restores the default, or no text if there is none.
    @Test func stringPropertyCanBeUnset() {
        let harness = ElementHarness("font=Serif source=door")
        for (name, standard) in [("font", "Sans"), ("source", nil)] {
            var value = GValue()
            g_value_init(&value, FundamentalType.string)
            g_object_set_property(harness.object, name, &value)
            g_object_get_property(harness.object, name, &value)
            #expect(g_value_get_string(&value).map { String(cString: $0) } == standard)
            g_value_unset(&value)
        }
    }

    /// Arrays are another representation of the same value, in both directions.
    @Test func arrayPropertyAndTextPropertyShareTheirValue() throws {
        let harness = ElementHarness()
        func text(_ name: String) -> String? {
            var value = GValue()
            g_value_init(&value, spec(name, of: harness).pointee.value_type)
            defer { g_value_unset(&value) }
            g_object_get_property(harness.object, name, &value)
            let text = gst_value_serialize(&value)
            defer { g_free(text) }
            return text.map { String(cString: $0) }
        }
        harness.set("label-allowlist-array", "<person, \"potted plant\">")
        #expect(text("label-allowlist") == #""person\,potted\ plant""#)
        harness.set("label-denylist", "cat, dog")
        #expect(text("label-denylist-array") == "< (string)cat, (string)dog >")
        harness.set("label-denylist-array", "<>")
        #expect(text("label-denylist") == nil || text("label-denylist") == "NULL")
        harness.set(
            "zones-array",
            "<(GstStructure)[zone, name=door, kind=line, points=<<(double)0.25, (double)0.5>, <(int)1, (double)0.5>>]>")
        var zones = GValue()
        g_value_init(&zones, FundamentalType.string)
        defer { g_value_unset(&zones) }
        g_object_get_property(harness.object, "zones", &zones)
        let json = String(cString: try #require(g_value_get_string(&zones)))
        let parsed = try Zone.list(named: json)
        #expect(parsed.map(\.name) == ["door"] && parsed.first?.kind == .line)
        #expect(parsed.first?.points == [Zone.Point(0.25, 0.5), Zone.Point(1, 0.5)])
        let written = try #require(text("zones-array"))
        harness.set("zones-array", written)
        #expect(text("zones-array") == written && written.contains("door"))
    }

    /// Changes that take effect from READY do not reach frames and do not block other changes.
    @Test func readyPropertiesDoNotAffectRunningStream() {
        var state = StartedSettings()
        state.set(named: "device", to: "GPU")
        state.started = state.current
        state.set(named: "device", to: "NPU")
        state.set(named: "font", to: "Serif")
        #expect(state.current.device == "NPU")
        #expect(state.effective.device == "GPU" && state.effective.annotator.font == "Serif")
        state.started = nil
        #expect(state.effective.device == "NPU")
    }

    /// A frame's settings are a consistent copy: another thread always sets two properties to the same value.
    @Test func settingsAreConsistentPerFrame() async {
        let shared = SharedSettings()
        let setting = Task.detached {
            for number in 0..<2000 {
                shared.state.withLock {
                    $0.set(named: "font", to: "\(number)")
                    $0.set(named: "source", to: "\(number)")
                }
            }
        }
        for _ in 0..<2000 {
            let settings = shared.state.withLock { $0.effective }
            #expect(settings.source == nil || settings.source == settings.annotator.font)
        }
        await setting.value
        #expect(shared.state.withLock { $0.effective.source } == "1999")
    }

    private final class SharedSettings: Sendable {
        let state = Mutex(StartedSettings())
    }

    private func spec(_ name: String, of harness: ElementHarness) -> UnsafeMutablePointer<GParamSpec> {
        let type = UnsafeMutableRawPointer(harness.element).load(as: UnsafeMutablePointer<GObjectClass>.self)
        return g_object_class_find_property(type, name)!
    }
}

extension ElementHarness {
    fileprivate var object: UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
    }
}

extension StartedSettings {
    fileprivate mutating func set(named name: String, to text: String) {
        var value = GValue()
        g_value_init(&value, FundamentalType.string)
        g_value_set_string(&value, text)
        set(Settings.properties.first { $0.name == name }!, to: &value)
        g_value_unset(&value)
    }
}

extension UnsafeMutablePointer<GParamSpec> {
    /// Returns a valid value other than the default.
    fileprivate var another: GValue {
        var value = GValue()
        g_value_init(&value, pointee.value_type)
        for text in ["false", "true", "3", "0.25", "1", "roi", "json"] {
            if gst_value_deserialize(&value, text) != 0, g_param_value_validate(self, &value) == 0,
                g_param_value_defaults(self, &value) == 0
            {
                return value
            }
        }
        preconditionFailure("another value for \(String(cString: g_param_spec_get_name(self)))")
    }
}
