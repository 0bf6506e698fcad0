import Glibc

/// Checks and raises limits of the process. If a limit is too low, GStreamer logs critical warnings and drops frames,
/// or GLib aborts the process.
enum ProcessLimits {
    /// The minimum number of open files. A pipeline has about 30 open descriptors.
    private static let leastFiles: rlim_t = 64
    /// The number of open files to which the limit is raised. It is enough to watch a hundred cameras.
    private static let mostFiles: rlim_t = 4096
    /// The minimum address space in bytes. With less, decoders and encoders cannot be loaded.
    private static let leastMemory: rlim_t = 1 << 30

    /// Raises the limit of open files to 4,096, or to the hard limit if the hard limit is lower.
    ///
    /// - Throws: ``PlaybackError`` if a limit is too low.
    static func prepare() throws {
        var files = limit(RLIMIT_NOFILE)
        let wish = min(files.rlim_max, mostFiles)
        if files.rlim_cur < wish {
            files.rlim_cur = wish
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        }
        if let problem = problem(files: limit(RLIMIT_NOFILE).rlim_cur, memory: limit(RLIMIT_AS).rlim_cur) {
            throw PlaybackError(problem)
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
