import CODTGStreamer
import ODTPlayback

/// The functions of libsoup 3 and GIO that the page uses, with the types of their headers.
struct Soup: Sendable {
    typealias Object = OpaquePointer
    typealias Problem = UnsafeMutablePointer<UnsafeMutablePointer<GError>?>
    /// A handler of requests. Its arguments are the server, the message, the path, the query and the user data.
    typealias Handler =
        @convention(c) (Object?, Object?, UnsafePointer<CChar>?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    typealias AddHandler =
        @convention(c) (Object, UnsafePointer<CChar>?, Handler, UnsafeMutableRawPointer?, GDestroyNotify?) -> Void
    typealias Get = @convention(c) (Object) -> Object?

    let serverType: @convention(c) () -> GType
    let acceptStream: @convention(c) (Object, Object, Object, Object, Problem?) -> gboolean
    let addHandler: AddHandler
    let addEarlyHandler: AddHandler
    let disconnect: @convention(c) (Object) -> Void
    let pause: @convention(c) (Object, Object) -> Void
    let unpause: @convention(c) (Object, Object) -> Void

    let method: @convention(c) (Object) -> UnsafePointer<CChar>?
    let uri: Get
    let remoteAddress: Get
    let requestHeaders: Get
    let responseHeaders: Get
    let requestBody: Get
    let responseBody: Get
    let setStatus: @convention(c) (Object, guint, UnsafePointer<CChar>?) -> Void

    let header: @convention(c) (Object, UnsafePointer<CChar>) -> UnsafePointer<CChar>?
    /// Returns all values of a repeated header, joined by commas.
    let headerList: @convention(c) (Object, UnsafePointer<CChar>) -> UnsafePointer<CChar>?
    let setHeader: @convention(c) (Object, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void
    let setEncoding: @convention(c) (Object, Int32) -> Void
    /// The value of `SOUP_ENCODING_EOF`: the end of the connection marks the end of the body.
    static let untilTheEnd: Int32 = 3

    let append: @convention(c) (Object, OpaquePointer) -> Void
    let complete: @convention(c) (Object) -> Void
    let setAccumulate: @convention(c) (Object, gboolean) -> Void

    let socketOfDescriptor: @convention(c) (Int32, Problem?) -> Object?
    let descriptorOfSocket: @convention(c) (Object) -> Int32
    let localAddressOfSocket: @convention(c) (Object, Problem?) -> Object?
    let remoteAddressOfSocket: @convention(c) (Object, Problem?) -> Object?
    let connectionOfSocket: @convention(c) (Object) -> Object?
    let shutdownSocket: @convention(c) (Object, gboolean, gboolean, Problem?) -> gboolean

    init(for option: String) throws {
        let library = try SharedLibrary("libsoup-3.0.so.0", package: "libsoup-3.0-0", for: option)
        serverType = try library.function("soup_server_get_type")
        acceptStream = try library.function("soup_server_accept_iostream")
        addHandler = try library.function("soup_server_add_handler")
        addEarlyHandler = try library.function("soup_server_add_early_handler")
        disconnect = try library.function("soup_server_disconnect")
        pause = try library.function("soup_server_pause_message")
        unpause = try library.function("soup_server_unpause_message")
        method = try library.function("soup_server_message_get_method")
        uri = try library.function("soup_server_message_get_uri")
        remoteAddress = try library.function("soup_server_message_get_remote_address")
        requestHeaders = try library.function("soup_server_message_get_request_headers")
        responseHeaders = try library.function("soup_server_message_get_response_headers")
        requestBody = try library.function("soup_server_message_get_request_body")
        responseBody = try library.function("soup_server_message_get_response_body")
        setStatus = try library.function("soup_server_message_set_status")
        header = try library.function("soup_message_headers_get_one")
        headerList = try library.function("soup_message_headers_get_list")
        setHeader = try library.function("soup_message_headers_replace")
        setEncoding = try library.function("soup_message_headers_set_encoding")
        append = try library.function("soup_message_body_append_bytes")
        complete = try library.function("soup_message_body_complete")
        setAccumulate = try library.function("soup_message_body_set_accumulate")
        // `dlsym` also finds symbols of the library's dependencies. GIO is one of them.
        socketOfDescriptor = try library.function("g_socket_new_from_fd")
        descriptorOfSocket = try library.function("g_socket_get_fd")
        localAddressOfSocket = try library.function("g_socket_get_local_address")
        remoteAddressOfSocket = try library.function("g_socket_get_remote_address")
        connectionOfSocket = try library.function("g_socket_connection_factory_create_connection")
        shutdownSocket = try library.function("g_socket_shutdown")
    }

    /// Connects a handler to a signal of an object.
    ///
    /// - Parameter handler: A `@convention(c)` function with the arguments of the signal. Its last argument is `data`.
    static func connect<Handler>(
        _ object: Object, _ signal: String, _ handler: Handler, _ data: UnsafeMutableRawPointer
    ) {
        g_signal_connect_data(
            UnsafeMutableRawPointer(object), signal, unsafeBitCast(handler, to: GCallback.self), data, nil,
            GConnectFlags(rawValue: 0))
    }
}
