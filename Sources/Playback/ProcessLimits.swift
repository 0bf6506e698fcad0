import Glibc

/// Limits of the process below which GStreamer fails without an error: it reports critical warnings and loses frames, or GLib ends the
/// process.
enum ProcessLimits {
    /// One pipeline has about 30 descriptors open.
    private static let leastFiles: rlim_t = 64
    /// As many as a watch of a hundred cameras needs.
    private static let mostFiles: rlim_t = 4096
    /// Below, decoders and encoders cannot be loaded.
    private static let leastMemory: rlim_t = 1 << 30

    /// Raises the number of files that may be open as far as the hard limit allows.
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
                "this process may open only \(files) files, and video needs \(leastFiles): raise the limit (ulimit -n, "
                + "LimitNOFILE= of systemd)"
        }
        if memory < leastMemory {
            return
                "this process may have only \(memory >> 20) MB of address space, and video needs \(leastMemory >> 20) MB: raise "
                + "the limit (ulimit -v, LimitAS= of systemd)"
        }
        return nil
    }

    private static func limit(_ resource: __rlimit_resource) -> rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        return limit
    }
}
