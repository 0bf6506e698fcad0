import CGStreamer
import Glibc

/// Initializes GStreamer and finds the swiftodt plugin.
public enum PluginSearch {
    /// Initializes GStreamer. The plugin that belongs to this program takes precedence: that of the checkout in
    /// which the program was built, or that under the prefix where it is installed.
    ///
    /// - Throws: ``PlaybackError`` if there is no plugin, or a limit of the process is too low.
    public static func start() throws {
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
    public static func startGStreamer() throws -> String {
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
