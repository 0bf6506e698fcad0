import CODTGStreamer
import Glibc
import ODTPlayback
import Testing

@testable import SwiftODTVideo

/// Tests a program that the element is linked into and that loads the plugin file, too.
@Suite struct LinkedElementTests {
    private static let plugin = "\(#filePath)/../../../.build/plugin/libgstswiftodt.so"

    @Test(.enabled(if: access(plugin, R_OK) == 0, "no plugin: Pipelines/setup builds it"))
    func pluginFileBesideLinkedElementIsRefused() throws {
        try PluginSearch.initializeGStreamer()
        #expect(swiftodt_register_linked_element() != 0)
        var problem: UnsafeMutablePointer<GError>?
        #expect(gst_plugin_load_file(Self.plugin, &problem) == nil)
        #expect(problem != nil)
        g_clear_error(&problem)
        #expect(swiftodt_register_linked_element() != 0)
    }

    @Test func environmentIsUnchanged() throws {
        let before = getenv("GST_PLUGIN_PATH").map { String(cString: $0) }
        try PluginSearch.startGStreamer()
        #expect(getenv("GST_PLUGIN_PATH").map { String(cString: $0) } == before)
    }
}
