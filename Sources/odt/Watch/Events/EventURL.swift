import CODTGStreamer
import ODTPlayback
import SwiftODT

/// Sends each event to a URL as the JSON body of a POST request.
///
/// `@unchecked Sendable`: the session is used only on the receiver's thread.
final class EventURL: EventDelivery, @unchecked Sendable {
    /// The maximum number of bytes of the answer that are read. The bytes are ignored, but a server may end its work
    /// when the client closes the connection early.
    private static let maximumAnswer = 1 << 16
    /// `SOUP_MESSAGE_NO_REDIRECT`. When libsoup follows a redirect, it usually replaces the POST request by a GET
    /// request without the event.
    private static let noRedirect: guint = 1 << 1

    private enum Phase { case sending, answering, late, over }

    private let url: String
    /// The maximum time without progress of a request, in seconds.
    private let timeout: Int
    /// The maximum time in nanoseconds from the end of the request to the end of the answer.
    private let answerTime: Nanoseconds
    private let library: SoupClient
    private var session: Soup.Object?

    static func isURL(_ action: String) -> Bool {
        ["http://", "https://"].contains { action.lowercased().hasPrefix($0) }
    }

    init(_ url: String, timeout: Int = 30, answerTime: Nanoseconds = 30_000_000_000) throws {
        (self.url, self.timeout, self.answerTime, library) = (url, timeout, answerTime, try SoupClient())
        guard let message = library.newMessage("POST", url) else {
            throw PlaybackError("the URL is not valid; use http://HOST/PATH or https://HOST/PATH", isUsage: true)
        }
        g_object_unref(UnsafeMutableRawPointer(message))
        Self.registerTypes(of: library)
    }

    /// Registers libsoup's types by creating a session and a message. Requests need a session that was created on the
    /// receiver's thread, so this session is released at once.
    static func registerTypes() { (try? SoupClient()).map(registerTypes) }

    private static func registerTypes(of library: SoupClient) {
        for object in [library.newSession(), library.newMessage("POST", "http://localhost")] {
            if let object { g_object_unref(UnsafeMutableRawPointer(object)) }
        }
    }

    deinit { if let session { g_object_unref(UnsafeMutableRawPointer(session)) } }

    /// The scheme and the host of the URL. The path and the query are omitted, because they often contain a secret.
    var name: String {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        let host = (parts.dropFirst().first ?? "").split(separator: "@").last ?? ""
        return "\(parts.first ?? "")//\(host.prefix { $0 != "?" && $0 != "#" })"
    }

    func deliver(_ event: WatchEvent, rule: String, picture: [UInt8]?) throws {
        guard let session = session ?? begin(), let message = library.newMessage("POST", url) else {
            throw EventDeliveryError(description: "libsoup cannot create a request", isFinal: false)
        }
        defer { g_object_unref(UnsafeMutableRawPointer(message)) }
        library.setFlags(message, Self.noRedirect)
        let text = Array(event.json(rule: rule, picture: picture).text.utf8)
        let body = text.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        library.setBody(message, "application/json", body)
        g_bytes_unref(body)
        let phase = Monitor(Phase.sending)
        Soup.connect(message, "wrote-body", Self.wroteBody, Unmanaged.passUnretained(phase).toOpaque())
        let cancellable = library.newCancellable()
        cancel(cancellable, ifLate: phase)
        defer {
            phase.update { $0 = .over }
            g_object_unref(UnsafeMutableRawPointer(cancellable))
        }
        var problem: UnsafeMutablePointer<GError>?
        guard let answer = library.send(session, message, cancellable, &problem) else {
            defer { g_clear_error(&problem) }
            let phase = phase.read { $0 }
            if phase == .late || phase == .answering && Self.isTimeout(problem) {
                // The receiver has the event and would get it twice.
                let seconds = phase == .late ? Int(answerTime / 1_000_000_000) : timeout
                throw EventDeliveryError(
                    description: "no complete answer within \(seconds) s", isFinal: true, isTimeout: true)
            }
            let reason = problem.flatMap { $0.pointee.message.map { String(cString: $0) } } ?? "no answer"
            throw EventDeliveryError(description: reason, isFinal: false)
        }
        skip(answer, cancellable)
        let status = library.status(message)
        guard !(200..<300).contains(status) else { return }
        if (300..<400).contains(status) {
            throw EventDeliveryError(
                description: "status \(status): the URL redirects, so nothing was delivered; use the address of its "
                    + "target in action=", isFinal: true)
        }
        let isTemporary = status >= 500 || status == 408 || status == 429
        throw EventDeliveryError(description: "status \(status)", isFinal: !isTemporary)
    }

    /// `G_IO_ERROR` and `G_IO_ERROR_TIMED_OUT`.
    private static let (ioErrors, timedOut): (String, gint) = ("g-io-error-quark", 24)

    private static func isTimeout(_ problem: UnsafeMutablePointer<GError>?) -> Bool {
        guard let problem, let domain = g_quark_to_string(problem.pointee.domain) else { return false }
        return String(cString: domain) == ioErrors && problem.pointee.code == timedOut
    }

    /// Called when the body of a request was sent.
    private static let wroteBody: @convention(c) (Soup.Object?, UnsafeMutableRawPointer?) -> Void = { _, phase in
        guard let phase else { return }
        Unmanaged<Monitor<Phase>>.fromOpaque(phase).takeUnretainedValue().update { $0 = .answering }
    }

    /// Cancels the request if the answer takes too long. A server that sends a byte now and then never exceeds the
    /// session's `timeout`. The time for sending is not limited, because an uplink may be slow.
    private func cancel(_ cancellable: Soup.Object, ifLate phase: Monitor<Phase>) {
        g_object_ref(UnsafeMutableRawPointer(cancellable))
        let address = UInt(bitPattern: cancellable)
        let isStarted = DetachedThread.run { [library, answerTime] in
            guard let cancellable = Soup.Object(bitPattern: address) else { return }
            phase.wait { $0 == .sending ? nil : () }
            if phase.wait(until: MonotonicClock.now + answerTime, for: { $0 == .over ? () : nil }) == nil {
                phase.update { $0 = .late }
                library.cancel(cancellable)
            }
            g_object_unref(UnsafeMutableRawPointer(cancellable))
        }
        if !isStarted { g_object_unref(UnsafeMutableRawPointer(cancellable)) }
    }

    private func skip(_ answer: Soup.Object, _ cancellable: Soup.Object) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var left = Self.maximumAnswer
        while left > 0 {
            let count = library.read(answer, &buffer, gsize(buffer.count), cancellable, nil)
            guard count > 0 else { break }
            left -= count
        }
        g_object_unref(UnsafeMutableRawPointer(answer))
    }

    private func begin() -> Soup.Object? {
        session = library.newSession()
        guard let session else { return nil }
        let object = UnsafeMutableRawPointer(session).assumingMemoryBound(to: GObject.self)
        gst_util_set_object_arg(object, "timeout", "\(timeout)")
        return session
    }
}

struct SoupClient: Sendable {
    let newSession: @convention(c) () -> Soup.Object?
    let newMessage: @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Soup.Object?
    let setFlags: @convention(c) (Soup.Object, guint) -> Void
    let setBody: @convention(c) (Soup.Object, UnsafePointer<CChar>?, OpaquePointer?) -> Void
    let send: @convention(c) (Soup.Object, Soup.Object, Soup.Object?, Soup.Problem?) -> Soup.Object?
    let read: @convention(c) (Soup.Object, UnsafeMutableRawPointer, gsize, Soup.Object?, Soup.Problem?) -> gssize
    let newCancellable: @convention(c) () -> Soup.Object
    let cancel: @convention(c) (Soup.Object) -> Void
    let status: @convention(c) (Soup.Object) -> guint

    init() throws {
        let library = try SharedLibrary("libsoup-3.0.so.0", package: "libsoup-3.0-0", for: "--\(EventRule.option) URL")
        newSession = try library.function("soup_session_new")
        newMessage = try library.function("soup_message_new")
        setFlags = try library.function("soup_message_set_flags")
        setBody = try library.function("soup_message_set_request_body_from_bytes")
        send = try library.function("soup_session_send")
        // GIO is a dependency of libsoup.
        read = try library.function("g_input_stream_read")
        newCancellable = try library.function("g_cancellable_new")
        cancel = try library.function("g_cancellable_cancel")
        status = try library.function("soup_message_get_status")
    }
}
