import CODTGStreamer
import ODTPlayback
import SwiftODT

/// An RTSP server on this machine that sends a moving ball to each client, at the path `/ball`.
///
/// It uses the library of Debian's libgstrtspserver-1.0-0, if that is installed.
final class RTSPServer: Sendable {
    private typealias Object = UnsafeMutableRawPointer
    private typealias Setter = @convention(c) (Object, UnsafePointer<CChar>) -> Void

    /// The address of the stream.
    let address: String
    /// Both are used by one thread at a time, except for `g_main_loop_quit`, which is thread-safe.
    nonisolated(unsafe) private let server: Object
    nonisolated(unsafe) private let loop: OpaquePointer

    private static func library() throws -> SharedLibrary {
        try SharedLibrary("libgstrtspserver-1.0.so.0", package: "libgstrtspserver-1.0-0", for: "the RTSP server")
    }

    static var isAvailable: Bool { (try? library()) != nil }

    /// - Parameter frames: the length of the stream; -1 for an endless one.
    init(frames: Int) throws {
        try PluginSearch.startGStreamer()
        let library = try Self.library()
        let newServer: @convention(c) () -> Object = try library.function("gst_rtsp_server_new")
        let newFactory: @convention(c) () -> Object = try library.function("gst_rtsp_media_factory_new")
        let setAddress: Setter = try library.function("gst_rtsp_server_set_address")
        let setPort: Setter = try library.function("gst_rtsp_server_set_service")
        let setLaunch: Setter = try library.function("gst_rtsp_media_factory_set_launch")
        let mountPoints: @convention(c) (Object) -> Object = try library.function("gst_rtsp_server_get_mount_points")
        let add: @convention(c) (Object, UnsafePointer<CChar>, Object) -> Void =
            try library.function("gst_rtsp_mount_points_add_factory")
        let attach: @convention(c) (Object, OpaquePointer?) -> UInt32 = try library.function("gst_rtsp_server_attach")
        let port: @convention(c) (Object) -> Int32 = try library.function("gst_rtsp_server_get_bound_port")

        let server = newServer()
        setAddress(server, "127.0.0.1")
        setPort(server, "0")
        let factory = newFactory()
        setLaunch(
            factory,
            "( videotestsrc pattern=ball is-live=true num-buffers=\(frames) "
                + "! video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! jpegenc ! rtpjpegpay name=pay0 )")
        let points = mountPoints(server)
        add(points, "/ball", factory)
        g_object_unref(points)
        let context = g_main_context_new()
        let source = attach(server, context)
        let loop = g_main_loop_new(context, 0)
        g_main_context_unref(context)
        guard source != 0, let loop else { throw PlaybackError("the RTSP server cannot use a port") }
        address = "rtsp://127.0.0.1:\(port(server))/ball"
        (self.server, self.loop) = (server, loop)
        DetachedThread.run {
            g_main_loop_run(self.loop)
            g_object_unref(self.server)
            g_main_loop_unref(self.loop)
        }
    }

    /// Closes the port. The thread of the server retains it until then.
    func stop() { g_main_loop_quit(loop) }
}
