import CGStreamer
import Glibc

/// What GStreamer makes of the plugin.
public enum PluginState {
    case found(file: String, version: String)
    /// The file is there, but GStreamer does not take it.
    case refused(file: String)
    /// There is no such file where GStreamer looks.
    case absent(folders: [String])

    /// Looks; GStreamer has to be started.
    public static func query() -> PluginState {
        if let factory = gst_element_factory_find("swiftodt") {
            defer { release(factory) }
            // Knowing it is not yet having it: what the list of plugins knows may be gone, or need what is gone.
            if let loaded = gst_plugin_feature_load(factory) {
                defer { release(loaded) }
                if let plugin = gst_plugin_feature_get_plugin(loaded) { return found(plugin) }
            }
        }
        if let file = folders.map({ $0 + "/libgstswiftodt.so" }).first(where: { access($0, F_OK) == 0 }) {
            return .refused(file: file)
        }
        return .absent(folders: folders)
    }

    /// Why a plugin is not taken: tries to load it, though GStreamer may have it on its list of those not to be tried again. A file that is
    /// cut off may end the process, as the system's loader reads beyond it.
    ///
    /// - Returns: `nil` where nothing is wrong with it.
    public static func reason(against file: String) -> String? {
        var problem: UnsafeMutablePointer<GError>?
        guard let plugin = gst_plugin_load_file(file, &problem) else { return ErrorText.take(&problem) }
        release(plugin)
        return nil
    }

    private static func found(_ plugin: OpaquePointer) -> PluginState {
        defer { release(plugin) }
        return .found(file: text(gst_plugin_get_filename(plugin)), version: text(gst_plugin_get_version(plugin)))
    }

    private static func release(_ object: OpaquePointer) { gst_object_unref(UnsafeMutableRawPointer(object)) }

    /// Where GStreamer looks, in its order.
    private static var folders: [String] {
        var folders = ["GST_PLUGIN_PATH_1_0", "GST_PLUGIN_PATH"].compactMap(variable).first.map(parts) ?? []
        folders.append(text(g_get_user_data_dir()) + "/gstreamer-1.0/plugins")
        let system = ["GST_PLUGIN_SYSTEM_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH"].compactMap(variable).first
        folders += system.map(parts) ?? systemFolder.map { [$0] } ?? []
        return folders
    }

    /// Where GStreamer's own plugins lie.
    private static var systemFolder: String? {
        guard let plugin = gst_registry_find_plugin(gst_registry_get(), "coreelements") else { return nil }
        defer { release(plugin) }
        let file = text(gst_plugin_get_filename(plugin))
        return file.lastIndex(of: "/").map { String(file[..<$0]) }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    private static func parts(_ path: String) -> [String] { path.split(separator: ":").map(String.init) }

    private static func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
}
