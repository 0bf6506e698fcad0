import CODTGStreamer

/// A GLib main loop and its context. It runs closures on the thread that runs the loop.
///
/// `@unchecked Sendable`: GLib synchronises the access to contexts and loops.
final class EventLoop: @unchecked Sendable {
    /// A closure that an event source runs. The source retains it until the source is destroyed.
    private final class Work {
        let body: () -> Bool
        init(_ body: @escaping () -> Bool) { self.body = body }
    }

    let context: OpaquePointer
    let loop: OpaquePointer

    init?() {
        guard let context = g_main_context_new() else { return nil }
        guard let loop = g_main_loop_new(context, 0) else {
            g_main_context_unref(context)
            return nil
        }
        (self.context, self.loop) = (context, loop)
    }

    deinit {
        g_main_loop_unref(loop)
        g_main_context_unref(context)
    }

    /// Runs `body` once on the loop's thread. May be called on any thread.
    func schedule(_ body: @escaping () -> Void) {
        let source = attach(g_idle_source_new()) {
            body()
            return false
        }
        g_source_unref(source)
    }

    /// Runs `body` on the loop's thread each time the source is ready, until `body` returns `false`.
    ///
    /// - Returns: The source. The caller must unreference it.
    func attach(
        _ source: UnsafeMutablePointer<GSource>?, _ body: @escaping () -> Bool
    ) -> UnsafeMutablePointer<GSource>? {
        g_source_set_priority(source, G_PRIORITY_DEFAULT)
        g_source_set_callback(
            source, { work in work.map { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue().body() ? 1 : 0 } ?? 0 },
            Unmanaged.passRetained(Work(body)).toOpaque(),
            { work in if let work { Unmanaged<Work>.fromOpaque(work).release() } })
        g_source_attach(source, context)
        return source
    }
}
