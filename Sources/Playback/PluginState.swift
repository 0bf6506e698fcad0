import CGStreamer
import Glibc

/// Whether GStreamer can load the swiftodt plugin.
package enum PluginState {
    case found(file: String, version: String)
    /// The file exists, but GStreamer rejects it.
    case refused(file: String)
    /// No folder of GStreamer's search path has the file.
    case absent(folders: [String])

    /// Returns the state of the plugin. GStreamer must be initialized.
    package static func query() -> PluginState {
        if let factory = gst_element_factory_find("swiftodt") {
            defer { release(factory) }
            // A registered plugin may still fail to load: the registry is a cache, and the file or its dependencies
            // may be gone.
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

    /// Returns why a plugin cannot be loaded. Ignores GStreamer's list of blocked plugins. A truncated file can
    /// crash the process in the system's loader.
    ///
    /// - Returns: `nil` if the plugin loads.
    package static func reason(against file: String) -> String? {
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

    /// The folders of GStreamer's search path, in order.
    private static var folders: [String] {
        var folders = ["GST_PLUGIN_PATH_1_0", "GST_PLUGIN_PATH"].compactMap(variable).first.map(parts) ?? []
        folders.append(text(g_get_user_data_dir()) + "/gstreamer-1.0/plugins")
        let system = ["GST_PLUGIN_SYSTEM_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH"].compactMap(variable).first
        folders += system.map(parts) ?? systemFolder.map { [$0] } ?? []
        return folders
    }

    /// The folder of GStreamer's own plugins.
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

/// Initializes GStreamer and finds the swiftodt plugin.
package enum PluginSearch {
    /// Initializes GStreamer. The plugin that belongs to this program takes precedence: that of the checkout in
    /// which the program was built, or that under the prefix where it is installed.
    ///
    /// - Throws: ``PlaybackError`` if there is no plugin, or a limit of the process is too low.
    package static func start() throws {
        try ProcessLimits.prepare()
        try startGStreamer()
        guard Element.isThere("swiftodt") else {
            throw PlaybackError(
                "GStreamer has no element swiftodt: run Pipelines/setup --install in the checkout of this odt, "
                    + "or install gstreamer1.0-swiftodt. "
                    + "If that was done, odt doctor shows the reason")
        }
    }

    /// Initializes GStreamer as ``start()`` does, but does not require the plugin.
    ///
    /// - Returns: The version of GStreamer.
    @discardableResult
    package static func startGStreamer() throws -> String {
        if let own = folderBesideThisProgram() {
            let others = getenv("GST_PLUGIN_PATH").map { String(cString: $0) } ?? ""
            setenv("GST_PLUGIN_PATH", others.isEmpty ? own : own + ":" + others, 1)
        }
        var problem: UnsafeMutablePointer<GError>?
        guard gst_init_check(nil, nil, &problem) != 0 else {
            throw PlaybackError("GStreamer does not start: \(ErrorText.take(&problem))")
        }
        var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
        gst_version(&major, &minor, &micro, &nano)
        return "\(major).\(minor).\(micro)"
    }

    /// Returns `.build/plugin` of the checkout that contains this program, or `lib/gstreamer-1.0` beside its `bin`
    /// folder.
    private static func folderBesideThisProgram() -> String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        var folder = PathText.text(ofSystemPath: path)
        while let slash = folder.lastIndex(of: "/") {
            folder = String(folder[..<slash])
            if folder.hasSuffix("/bin"), let plugins = holdingPlugin(folder.dropLast(4) + "/lib/gstreamer-1.0") {
                return plugins
            }
            if folder.hasSuffix("/.build") { return holdingPlugin(folder + "/plugin") }
        }
        return nil
    }

    private static func holdingPlugin(_ folder: String) -> String? {
        PathText.withSystemPath(folder + "/libgstswiftodt.so") { access($0, R_OK) } == 0 ? folder : nil
    }
}
