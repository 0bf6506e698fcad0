import CGStreamer
import Glibc

/// Makes GStreamer ready, and sees to it that it knows the element.
public enum PluginSearch {
    /// Starts GStreamer; the plugin of the checkout that this program was built in, or that was installed with it under a prefix that
    /// GStreamer does not know, comes before others.
    ///
    /// - Throws: ``PlaybackError`` where there is no plugin, or the process has too low a limit.
    public static func start() throws {
        try ProcessLimits.prepare()
        try startGStreamer()
        guard Element.isThere("swiftodt") else {
            throw PlaybackError(
                "GStreamer finds no element swiftodt: run Pipelines/setup --install in the checkout that this odt is from, or install "
                    + "gstreamer1.0-swiftodt. "
                    + "Where that was done, odt doctor says why")
        }
    }

    /// The same, whether there is a plugin or not.
    ///
    /// - Returns: GStreamer's version.
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

    /// `.build/plugin` of the checkout whose `.build` this program lies in, or `lib/gstreamer-1.0` beside its `bin`.
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
