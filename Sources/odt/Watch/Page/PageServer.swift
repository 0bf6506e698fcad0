import CODTGStreamer
import CODTLinux
import Glibc
import ODTPlayback
import SwiftODT
import Synchronization

/// The HTTP server of the page. It runs on its own thread, so browsers cannot block cameras.
///
/// `@unchecked Sendable`: other threads may call only ``wake()`` and ``close()``.
final class PageServer: @unchecked Sendable {
    /// The maximum number of connections. If there are more, a new connection replaces the connection that has been
    /// without a request for the longest time.
    private static let maximumConnections = 128
    /// The maximum number of connections that are accepted without reading requests in between. It is far below
    /// ``maximumConnections``, so that a burst of new connections does not replace a connection whose request is
    /// arriving.
    private static let mostAccepted = 16
    /// The maximum time in nanoseconds for which a client waits for a picture.
    private static let wait: Nanoseconds = 5_000_000_000

    private let option: String
    private let soup: Soup
    private let socket: PageSocket
    private let content: PageContent
    private let pictures: NewestPictures
    private let server: Soup.Object
    private let loop: EventLoop
    private let isWakePending = Atomic(false)
    private let isOver = Monitor(false)
    private let trustedProxies: TrustedProxies
    private var authorizer: PageAuthorizer
    /// The open connections. The key is the object that holds the client's address. libsoup returns the same object for
    /// all messages of a connection, so it identifies the connection of a message.
    private var connections: [Soup.Object: PageConnection] = [:]

    /// Opens the socket and prints its address.
    ///
    /// - Parameters:
    ///   - name: What the server serves: the name of its option without dashes, `page` or `metrics`.
    ///   - path: The path of the printed address, without the leading slash.
    ///   - tokenFile: A file with the token. Without this file, a token is required only if other machines can connect,
    ///     directly or through a trusted proxy.
    init(
        _ name: String, at address: PageAddress, path: String, tokenFile: String?, _ trustedProxies: TrustedProxies,
        _ content: PageContent, pictures: NewestPictures, notify: (String) -> Void
    ) throws {
        let option = "--\(name)"
        let soup = try Soup(for: option)
        let given = try tokenFile.map { try PageToken(file: $0, of: option + "-token-file") }
        let socket = try PageSocket(address, of: option)
        let isPublic = !socket.isLoopback || !trustedProxies.isEmpty
        let token = given ?? (isPublic ? PageToken.random() : nil)
        let query = token.map { "?token=" + (given == nil ? $0.text : "...") } ?? ""
        let urls = socket.hosts.map { "http://\(PageAddress.written($0, socket.port))/\(path)\(query)" }
        notify(
            "the \(name) \(name.hasSuffix("s") ? "are" : "is") at " + urls.joined(separator: " and ")
                + (tokenFile.map { ", with the token in \($0)" } ?? ""))
        guard let server = g_object_new_with_properties(soup.serverType(), 0, nil, nil), let loop = EventLoop()
        else { throw PlaybackError("\(option): libsoup cannot create a server") }
        (self.option, self.soup, self.socket, self.content, self.pictures) = (option, soup, socket, content, pictures)
        authorizer = PageAuthorizer(token: token, port: socket.port)
        (self.server, self.loop, self.trustedProxies) = (OpaquePointer(server), loop, trustedProxies)
    }

    func start() throws {
        guard DetachedThread.run({ self.serve() }) else { throw PlaybackError("\(option): cannot start a thread") }
    }

    /// Signals that there are new pictures. May be called on any thread; does not block.
    func wake() {
        guard !isWakePending.exchange(true, ordering: .acquiringAndReleasing), !isOver.read({ $0 }) else { return }
        loop.schedule {
            self.isWakePending.store(false, ordering: .releasing)
            self.sendPictures()
        }
    }

    /// Closes all connections and waits for the thread to end. May be called on any thread.
    func close() {
        loop.schedule { g_main_loop_quit(self.loop.loop) }
        isOver.wait { $0 ? () : nil }
    }

    // MARK: The thread

    private func serve() {
        g_main_context_push_thread_default(loop.context)
        let this = Unmanaged.passUnretained(self).toOpaque()
        soup.addEarlyHandler(server, nil, Self.headersArrived, this, nil)
        soup.addHandler(server, nil, Self.requestArrived, this, nil)
        for signal in ["request-finished", "request-aborted"] {
            Soup.connect(server, signal, Self.requestEnded, this)
        }
        let channel = g_io_channel_unix_new(socket.descriptor)
        let comes: @convention(c) (OpaquePointer?, GIOCondition, UnsafeMutableRawPointer?) -> gboolean = { _, _, this in
            if let this { Unmanaged<PageServer>.fromOpaque(this).takeUnretainedValue().accept() }
            return 1
        }
        let listening = g_io_create_watch(channel, G_IO_IN)
        g_source_set_callback(listening, unsafeBitCast(comes, to: GSourceFunc.self), this, nil)
        g_source_attach(listening, loop.context)
        let ticking = loop.attach(g_timeout_source_new(1000)) {
            self.closeOverdueConnections()
            return true
        }
        g_main_loop_run(loop.loop)
        for source in [listening, ticking] {
            g_source_destroy(source)
            g_source_unref(source)
        }
        g_io_channel_unref(UnsafeMutablePointer(channel))
        Glibc.close(socket.descriptor)
        for connection in connections.values {
            connection.cut()
            connection.stream?.end()
        }
        soup.disconnect(server)
        // In the next iterations of the loop, libsoup releases the connections that were shut down above.
        for _ in 0..<100 where g_main_context_iteration(loop.context, 0) == 0 { break }
        // Releasing a connection may finalize its stream, whose finalizer modifies `connections`. The connections are
        // therefore moved out before they are released.
        let left = connections
        connections = [:]
        withExtendedLifetime(left) {}
        g_object_unref(UnsafeMutableRawPointer(server))
        g_main_context_pop_thread_default(loop.context)
        isOver.update { $0 = true }
    }

    // MARK: Connections

    private func accept() {
        for _ in 0..<Self.mostAccepted {
            var name = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let file = withUnsafeMutableBytes(of: &name) { bytes -> Int32 in
                let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                let file = linux_accept4(socket.descriptor, address, &length, Int32(SOCK_CLOEXEC.rawValue))
                if file >= 0 { getnameinfo(address!, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) }
                return file
            }
            guard file >= 0 else {
                // If no file descriptor is free, the waiting client keeps the listening socket readable. The pause
                // prevents a busy loop.
                if errno == EMFILE || errno == ENFILE, !evictIdle() { poll(nil, 0, 100) }
                return
            }
            guard connections.count < Self.maximumConnections || evictIdle() else {
                Self.refuse(file)
                continue
            }
            take(file, from: text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" })
        }
    }

    /// Closes the connection that has been without a complete request for the longest time. Returns `false` if all
    /// connections have a request.
    private func evictIdle() -> Bool {
        let idle = connections.filter { $0.value.message == nil }.min { $0.value.since < $1.value.since }
        guard let idle else { return false }
        connections[idle.key] = nil
        idle.value.cut()
        return true
    }

    private static func refuse(_ file: Int32) {
        let answer = Array(
            ("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 0\r\n"
                + "Connection: close\r\n\r\n").utf8)
        _ = send(file, answer, answer.count, 0)
        Glibc.close(file)
    }

    private func take(_ file: Int32, from remote: String) {
        // TCP keep-alive detects clients that have disappeared without closing the connection.
        var yes: Int32 = 1
        setsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &yes, socklen_t(MemoryLayout<Int32>.size))
        var seconds: Int32 = 30
        setsockopt(file, Int32(IPPROTO_TCP), TCP_KEEPIDLE, &seconds, socklen_t(MemoryLayout<Int32>.size))
        guard let socket = soup.socketOfDescriptor(file, nil) else {
            Glibc.close(file)
            return
        }
        let connection = PageConnection(socket, from: remote, soup)
        // The address is missing if the client has already disconnected.
        let local = soup.localAddressOfSocket(socket, nil), address = soup.remoteAddressOfSocket(socket, nil)
        let stream = soup.connectionOfSocket(socket)
        defer {
            for case let object? in [local, address, stream] { g_object_unref(UnsafeMutableRawPointer(object)) }
        }
        guard let local, let address, let stream else { return }
        connections[address] = connection
        g_object_weak_ref(
            UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GObject.self),
            { gone, _ in
                if let gone { Unmanaged<ClosedConnection>.fromOpaque(gone).takeRetainedValue().note() }
            }, Unmanaged.passRetained(ClosedConnection(self, address)).toOpaque())
        if soup.acceptStream(server, stream, local, address, nil) == 0 { connection.cut() }
    }

    /// Removes a connection when its stream is finalized. Until then, this instance retains the address object.
    /// Otherwise a new address object could get the same memory address and be taken for the old one.
    private final class ClosedConnection {
        private let server: PageServer
        private let address: Soup.Object

        init(_ server: PageServer, _ address: Soup.Object) {
            (self.server, self.address) = (server, address)
            g_object_ref(UnsafeMutableRawPointer(address))
        }

        deinit { g_object_unref(UnsafeMutableRawPointer(address)) }

        func note() { _ = server.connections.removeValue(forKey: address) }
    }

    private func closeOverdueConnections() {
        let now = MonotonicClock.now
        for connection in connections.values {
            if let awaited = connection.awaited, now - awaited.since > Self.wait, let message = connection.message {
                connection.awaited = nil
                answer(message, .sentence(503, "No picture is available now.", headers: [("Retry-After", "5")]))
                soup.unpause(server, message)
            } else if connection.isOverdue(at: now) {
                connection.cut()
                connection.stream?.end()
            }
        }
    }

    // MARK: Requests

    private static let headersArrived: Soup.Handler = { _, message, _, _, this in
        guard let message, let this else { return }
        let server = Unmanaged<PageServer>.fromOpaque(this).takeUnretainedValue()
        // The body of the request is discarded.
        if let body = server.soup.requestBody(message) { server.soup.setAccumulate(body, 0) }
    }

    private static let requestArrived: Soup.Handler = { _, message, _, _, this in
        guard let message, let this else { return }
        Unmanaged<PageServer>.fromOpaque(this).takeUnretainedValue().handle(message)
    }

    private static let requestEnded: @convention(c) (Soup.Object?, Soup.Object?, UnsafeMutableRawPointer?) -> Void = {
        _, message, this in
        guard let message, let this else { return }
        let server = Unmanaged<PageServer>.fromOpaque(this).takeUnretainedValue()
        server.connection(of: message)?.end()
    }

    private func connection(of message: Soup.Object) -> PageConnection? {
        soup.remoteAddress(message).flatMap { connections[$0] }
    }

    private func handle(_ message: Soup.Object) {
        guard let connection = connection(of: message) else { return soup.setStatus(message, 500, nil) }
        connection.begin(message)
        let request = request(message, from: connection.remote)
        var answer: PageResponse
        switch authorizer.judge(request, at: MonotonicClock.now) {
        case .open: answer = content.response(to: request)
        case .allowAndSetCookie:
            answer = content.response(to: request)
            let token = authorizer.token?.text ?? ""
            setHeader(
                "Set-Cookie", "\(authorizer.cookieName)=\(token); Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000",
                message)
        case .deny(let status, let reason, let isStale):
            answer = content.publicResponse(to: request) ?? .sentence(status, reason)
            if isStale {
                setHeader(
                    "Set-Cookie", "\(authorizer.cookieName)=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0", message)
            }
        }
        // A stream of pictures has no length, so the response to a HEAD request is empty.
        if case .pictures = answer, request.method == "HEAD" {
            answer = .text(200, [], kind: Self.streamKind)
        }
        self.answer(message, answer)
    }

    private func request(_ message: Soup.Object, from peer: String) -> PageRequest {
        let headers = soup.requestHeaders(message), uri = soup.uri(message)
        func header(_ name: String) -> String {
            headers.flatMap { soup.header($0, name) }.map { String(cString: $0) } ?? ""
        }
        let length = header("Content-Length")
        let forwarded = headers.flatMap { soup.headerList($0, "X-Forwarded-For") }.map { String(cString: $0) } ?? ""
        return PageRequest(
            method: soup.method(message).map { String(cString: $0) } ?? "",
            path: uri.flatMap { g_uri_get_path($0) }.map { String(cString: $0) } ?? "",
            query: uri.flatMap { g_uri_get_query($0) }.map { String(cString: $0) } ?? "",
            host: header("Host"), cookie: header("Cookie"), authorization: header("Authorization"),
            remote: trustedProxies.client(of: peer, forwarded: forwarded),
            isForwarded: Self.proxyHeaders.contains { !header($0).isEmpty },
            hasBody: !["", "0"].contains(length) || !header("Transfer-Encoding").isEmpty)
    }

    // MARK: Responses

    private static let proxyHeaders = [
        "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via",
    ]
    private static let streamKind = "multipart/x-mixed-replace; boundary=\(PagePicture.boundary)"
    /// The headers of all responses. They prevent caching and embedding in other pages. `Connection: close` disables
    /// keep-alive: libsoup before 3.3 leaks the socket if the client closes an idle keep-alive connection.
    private static let headers = [
        ("Connection", "close"),
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
    ]

    private func setHeader(_ name: String, _ value: String, _ message: Soup.Object) {
        if let headers = soup.responseHeaders(message) { soup.setHeader(headers, name, value) }
    }

    private func answer(_ message: Soup.Object, _ answer: PageResponse) {
        for (name, value) in Self.headers { setHeader(name, value, message) }
        if let body = soup.responseBody(message) { soup.setAccumulate(body, 0) }
        switch answer {
        case .text(let status, let text, let kind, let headers):
            soup.setStatus(message, guint(status), nil)
            setHeader("Content-Type", kind, message)
            for (name, value) in headers { setHeader(name, value, message) }
            if let bytes = text.withUnsafeBytes({ g_bytes_new($0.baseAddress, gsize($0.count)) }) {
                if let body = soup.responseBody(message), !text.isEmpty { soup.append(body, bytes) }
                g_bytes_unref(bytes)
            }
        case .file(let path, let kind, let isPlayed):
            guard let bytes = Self.bytes(of: path) else { return self.answer(message, .nothing) }
            give(bytes, kind, largestPart: isPlayed ? ByteRange.largest : .max, to: message)
            g_bytes_unref(bytes)
        case .pictures(let camera): begin(camera, message)
        case .picture(let camera):
            if let picture = pictures.fresh(of: camera) { return give(picture, to: message) }
            connection(of: message)?.awaited = (camera, MonotonicClock.now)
            pictures.await(camera)
            soup.pause(server, message)
        }
    }

    /// Sends a file, or the part of it that the client requests. libsoup can serve parts only of bodies that it
    /// accumulates in memory.
    private func give(_ file: OpaquePointer, _ kind: String, largestPart: Int, to message: Soup.Object) {
        let size = Int(clamping: g_bytes_get_size(file))
        setHeader("Content-Type", kind, message)
        setHeader("Accept-Ranges", "bytes", message)
        // HTTP defines ranges for GET only.
        let isRead = soup.method(message).map { String(cString: $0) } == "GET"
        let headers = isRead ? soup.requestHeaders(message) : nil
        let range = headers.flatMap { soup.header($0, "Range") }.map { String(cString: $0) } ?? ""
        switch ByteRange.request(range, size: size, largest: largestPart) {
        case .whole:
            soup.setStatus(message, 200, nil)
            if let body = soup.responseBody(message) { soup.append(body, file) }
        case .part(let part):
            soup.setStatus(message, 206, nil)
            setHeader("Content-Range", "bytes \(part.first)-\(part.first + part.count - 1)/\(size)", message)
            guard let bytes = g_bytes_new_from_bytes(file, gsize(part.first), gsize(part.count)) else { return }
            if let body = soup.responseBody(message) { soup.append(body, bytes) }
            g_bytes_unref(bytes)
        case .beyond:
            soup.setStatus(message, 416, nil)
            setHeader("Content-Range", "bytes */\(size)", message)
        }
    }

    /// Maps a regular file into memory. Returns `nil` for an empty file, and for a path that names no regular file, for
    /// example a symbolic link.
    private static func bytes(of path: String) -> OpaquePointer? {
        let file = PathText.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard file >= 0 else { return nil }
        defer { Glibc.close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
            let map = g_mapped_file_new_from_fd(file, 0, nil)
        else { return nil }
        defer { g_mapped_file_unref(map) }
        return g_mapped_file_get_bytes(map)
    }

    private func begin(_ camera: String, _ message: Soup.Object) {
        soup.setStatus(message, 200, nil)
        setHeader("Content-Type", Self.streamKind, message)
        if let headers = soup.responseHeaders(message) { soup.setEncoding(headers, Soup.untilTheEnd) }
        connection(of: message)?.stream = PictureStream(of: camera, to: message, of: server, soup, pictures)
    }

    private func give(_ picture: PagePicture, to message: Soup.Object) {
        soup.setStatus(message, 200, nil)
        setHeader("Content-Type", "image/jpeg", message)
        if let body = soup.responseBody(message) { soup.append(body, picture.file) }
    }

    private func sendPictures() {
        for connection in connections.values {
            connection.stream?.offer()
            guard let awaited = connection.awaited, let message = connection.message,
                let picture = pictures.newest(of: awaited.camera), picture.time > awaited.since
            else { continue }
            connection.awaited = nil
            give(picture, to: message)
            soup.unpause(server, message)
        }
    }
}
