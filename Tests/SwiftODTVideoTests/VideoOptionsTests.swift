import CODTGStreamer
import ODTPlayback
import Testing

@testable import GstSwiftODT
@testable import SwiftODTVideo

/// Compares the typed options with the element's properties.
@Suite struct VideoOptionsTests {
    /// Properties without an option: results have one format, statistics are read-only, arrays are other forms of texts,
    /// only programs with several live streams share inference, and buffers do not leave the pipeline.
    private static let managed: Set = [
        "message-format", "stats", "label-allowlist-array", "label-denylist-array", "privacy-labels-array",
        "zones-array", "share-inference", "attach-meta", "source", "draw-mode", "map-memory",
    ]

    @Test func everyPropertyHasAnOption() {
        let names = VideoOptions.table.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(names) == Set(Settings.properties.map(\.name)).subtracting(Self.managed))
    }

    @Test func videoOptionDefaultsEqualElementDefaults() throws {
        let element = try Self.element()
        var options = VideoOptions()
        options.updates = .onResult
        for (name, text) in VideoOptions.table {
            guard let value = text(options) else { continue }
            let before = element.text(of: name)
            try PropertySetting.set("\(name)=\(value)", of: element)
            #expect(element.text(of: name) == before, "\(name)")
        }
        #expect(options.properties.isEmpty && VideoOptions().properties == ["updates=every-frame"])
    }

    @Test func everyChoiceIsAValueOfTheElement() throws {
        let element = try Self.element()
        func check(_ name: String, _ values: [String]) throws {
            #expect(Self.choiceCount(of: name, element) == values.count, "\(name)")
            for value in values { try PropertySetting.set("\(name)=\(value)", of: element) }
        }
        try check("detector", VideoOptions.Detector.allCases.map(\.rawValue))
        try check("unknown-objects", VideoOptions.UnknownObjects.allCases.map(\.rawValue))
        try check("strategy", VideoOptions.Strategy.allCases.map(\.rawValue))
        try check("zoom", VideoOptions.Zoom.allCases.map(\.rawValue))
        try check("updates", VideoOptions.Updates.allCases.map(\.rawValue))
        try check("draw-coasting", VideoOptions.DrawCoasting.allCases.map(\.rawValue))
        try check("color-mode", VideoOptions.ColorMode.allCases.map(\.rawValue))
        try check("box-style", VideoOptions.BoxStyle.allCases.map(\.rawValue))
        try check("record-existing", VideoOptions.ExistingRecording.allCases.map(\.rawValue))
    }

    private static func choiceCount(of property: String, _ element: Element) -> Int? {
        let elementClass = UnsafeMutableRawPointer(element.gobject.pointee.g_type_instance.g_class)
        let objectClass = elementClass?.assumingMemoryBound(to: GObjectClass.self)
        guard let about = g_object_class_find_property(objectClass, property),
            let choices = g_type_class_ref(about.pointee.value_type)
        else { return nil }
        defer { g_type_class_unref(choices) }
        return Int(choices.assumingMemoryBound(to: GEnumClass.self).pointee.n_values)
    }

    private static func element() throws -> Element {
        try PluginSearch.initializeGStreamer()
        #expect(swiftodt_register_linked_element() != 0)
        let element = try #require(gst_element_factory_make("swiftodt", nil))
        gst_object_ref_sink(element)
        return Element(element)
    }
}
