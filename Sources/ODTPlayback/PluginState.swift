import CODTGStreamer
import Glibc
import SwiftODT

package enum PluginState {
    case found(file: String, version: String)
    /// The plugin's file exists, but GStreamer cannot load it.
    case refused(file: String)
    /// None of the folders in GStreamer's search path contains the plugin's file.
    case absent(folders: [String])

    /// GStreamer must be initialised.
    package static func query() -> PluginState {
        if let factory = gst_element_factory_find("swiftodt") {
            defer { release(factory) }
            // A registered plugin may fail to load, because the registry is a cache: the plugin's file or one of its
            // dependencies may have been removed.
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

    /// Tries to load a plugin, even if GStreamer has blocked it. Returns the reason why the plugin cannot be loaded;
    /// `nil` if it was loaded. A damaged file can crash the process.
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

    /// The folders of GStreamer's plugin search path, in the order of the search.
    private static var folders: [String] {
        var folders = ["GST_PLUGIN_PATH_1_0", "GST_PLUGIN_PATH"].compactMap(variable).first.map(parts) ?? []
        folders.append(text(g_get_user_data_dir()) + "/gstreamer-1.0/plugins")
        let system = ["GST_PLUGIN_SYSTEM_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH"].compactMap(variable).first
        folders += system.map(parts) ?? systemFolder.map { [$0] } ?? []
        return folders
    }

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

package enum PluginSearch {
    /// Initialises GStreamer. The plugin that belongs to this program takes precedence over other installed versions.
    /// It is in the checkout in which the program was built, or under the prefix where the program is installed.
    ///
    /// - Throws: ``PlaybackError`` if GStreamer does not find the plugin, or a limit of the process is too low.
    package static func start() throws {
        try ProcessLimits.prepare()
        try startGStreamer()
        guard Element.isInstalled("swiftodt") else {
            throw PlaybackError(
                "GStreamer has no element swiftodt: run Pipelines/setup --install in the checkout of this odt, "
                    + "or install gstreamer1.0-swiftodt. "
                    + "If that was done, odt doctor shows the reason", .runtimeMissing)
        }
    }

    /// Does the same as ``start()``, but does not require the plugin. Returns the version of GStreamer.
    @discardableResult
    package static func startGStreamer() throws -> String {
        _ = addOwnFolder
        return try initializeGStreamer()
    }

    /// Initialises GStreamer without a change of the environment, which other code of the process may use.
    @discardableResult
    package static func initializeGStreamer() throws -> String {
        var problem: UnsafeMutablePointer<GError>?
        guard gst_init_check(nil, nil, &problem) != 0 else {
            throw PlaybackError("GStreamer does not start: \(ErrorText.take(&problem))", .runtimeMissing)
        }
        var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
        gst_version(&major, &minor, &micro, &nano)
        return "\(major).\(minor).\(micro)"
    }

    private static let addOwnFolder: Void = {
        guard let own = folderBesideThisProgram() else { return }
        // GStreamer reads the second variable only if the first one is not set.
        let name = getenv("GST_PLUGIN_PATH_1_0") == nil ? "GST_PLUGIN_PATH" : "GST_PLUGIN_PATH_1_0"
        setenv(name, DataFolders.environment(name).map { own + ":" + $0 } ?? own, 1)
    }()

    /// Returns the folder with the plugin of odt: `.build/plugin` of the checkout that contains the program, or
    /// `lib/gstreamer-1.0` beside the program's folder `bin`. Returns `nil` if neither contains a plugin, and in unit
    /// tests, which the element is linked into.
    private static func folderBesideThisProgram() -> String? {
        guard var folder = FilePath.canonical("/proc/self/exe"), !folder.hasSuffix(".xctest") else { return nil }
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

/// Checks and raises limits of the process. If a limit is too low, GStreamer logs critical warnings and drops frames,
/// or GLib aborts the process.
enum ProcessLimits {
    /// The minimum limit of open files. A pipeline has about 30 open descriptors.
    private static let leastFiles: rlim_t = 64
    /// The number of open files to which the limit is raised. It is enough to watch a hundred cameras.
    private static let mostFiles: rlim_t = 4096
    /// The minimum address space in bytes. With less, decoders and encoders cannot be loaded.
    private static let leastMemory: rlim_t = 1 << 30

    /// Raises the limit of open files to 4,096, or to the hard limit if the hard limit is lower. Throws an error if a
    /// limit is too low.
    static func prepare() throws {
        var files = limit(RLIMIT_NOFILE)
        let wanted = min(files.rlim_max, mostFiles)
        if files.rlim_cur < wanted {
            files.rlim_cur = wanted
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        }
        if let problem = problem(files: limit(RLIMIT_NOFILE).rlim_cur, memory: limit(RLIMIT_AS).rlim_cur) {
            throw PlaybackError(problem, .outOfResources)
        }
    }

    static func problem(files: rlim_t, memory: rlim_t) -> String? {
        if files < leastFiles {
            return
                "this process can open only \(files) files, but video needs \(leastFiles): raise the limit (ulimit -n, "
                + "LimitNOFILE= of systemd)"
        }
        if memory < leastMemory {
            return
                "this process has only \(memory >> 20) MB of address space, but video needs \(leastMemory >> 20) MB: "
                + "raise the limit (ulimit -v, LimitAS= of systemd)"
        }
        return nil
    }

    private static func limit(_ resource: __rlimit_resource) -> rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        return limit
    }
}
