import ODTPlayback

/// The functions of libmosquitto that this program uses, with the types of `mosquitto.h`.
///
/// `@unchecked Sendable`: the function pointers are not modified while a connection uses them.
struct MosquittoLibrary: @unchecked Sendable {
    typealias Client = OpaquePointer
    typealias Connected = @convention(c) (Client?, UnsafeMutableRawPointer?, Int32) -> Void
    typealias Published = @convention(c) (Client?, UnsafeMutableRawPointer?, Int32) -> Void
    typealias Logged = @convention(c) (Client?, UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?) -> Void

    let make: @convention(c) (UnsafePointer<CChar>?, Bool, UnsafeMutableRawPointer?) -> Client?
    let destroy: @convention(c) (Client) -> Void
    /// Sets the object that the callbacks receive.
    let setOwner: @convention(c) (Client, UnsafeMutableRawPointer?) -> Void
    let setWill: @convention(c) (Client, UnsafePointer<CChar>, Int32, UnsafeRawPointer?, Int32, Bool) -> Int32
    let setUser: @convention(c) (Client, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Int32
    let setTLS:
        @convention(c) (
            Client, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
            OpaquePointer?
        ) -> Int32
    let setOption: @convention(c) (Client, Int32, Int32) -> Int32
    let onConnect: @convention(c) (Client, Connected?) -> Void
    let onPublish: @convention(c) (Client, Published?) -> Void
    let onLog: @convention(c) (Client, Logged?) -> Void
    /// `connect` and `publish` are variables so that tests can simulate a broker.
    var connect: @convention(c) (Client, UnsafePointer<CChar>, Int32, Int32) -> Int32
    let disconnect: @convention(c) (Client) -> Int32
    var publish:
        @convention(c) (
            Client, UnsafeMutablePointer<Int32>?, UnsafePointer<CChar>, Int32, UnsafeRawPointer?, Int32, Bool
        ) -> Int32
    let loop: @convention(c) (Client, Int32, Int32) -> Int32
    let socket: @convention(c) (Client) -> Int32
    let wantsToWrite: @convention(c) (Client) -> Bool
    private let sentence: @convention(c) (Int32) -> UnsafePointer<CChar>?

    init() throws {
        let library = try SharedLibrary("libmosquitto.so.1", package: "libmosquitto1", for: "--mqtt")
        make = try library.function("mosquitto_new")
        destroy = try library.function("mosquitto_destroy")
        setOwner = try library.function("mosquitto_user_data_set")
        setWill = try library.function("mosquitto_will_set")
        setUser = try library.function("mosquitto_username_pw_set")
        setTLS = try library.function("mosquitto_tls_set")
        setOption = try library.function("mosquitto_int_option")
        onConnect = try library.function("mosquitto_connect_callback_set")
        onPublish = try library.function("mosquitto_publish_callback_set")
        onLog = try library.function("mosquitto_log_callback_set")
        connect = try library.function("mosquitto_connect")
        disconnect = try library.function("mosquitto_disconnect")
        publish = try library.function("mosquitto_publish")
        loop = try library.function("mosquitto_loop")
        socket = try library.function("mosquitto_socket")
        wantsToWrite = try library.function("mosquitto_want_write")
        sentence = try library.function("mosquitto_strerror")
        let initialise: @convention(c) () -> Int32 = try library.function("mosquitto_lib_init")
        _ = initialise()
    }

    func text(of code: Int32) -> String { sentence(code).map { String(cString: $0) } ?? "error \(code)" }
}

enum MosquittoCode {
    static let success: Int32 = 0
    static let invalidMessage: Int32 = 3
    static let notConnected: Int32 = 4
    static let lost: Int32 = 7
    static let tls: Int32 = 8
    static let payloadTooLarge: Int32 = 9
    static let system: Int32 = 14
    static let lookup: Int32 = 15
    static let malformedText: Int32 = 18
    static let keepalive: Int32 = 19
    static let qualityNotSupported: Int32 = 24
    static let packetTooLarge: Int32 = 25
    static let retainNotSupported: Int32 = 28

    /// The results of `mosquitto_publish` for a message that the broker cannot accept on any connection. Other errors
    /// are temporary or apply only to the current connection.
    static let undeliverable: Set<Int32> = [
        invalidMessage, payloadTooLarge, malformedText, qualityNotSupported, packetTooLarge, retainNotSupported,
    ]

    /// The number of libmosquitto's option to use the CA certificates of the system.
    static let systemCertificates: Int32 = 13
    /// The log level of error messages.
    static let errorLine: Int32 = 8
}
