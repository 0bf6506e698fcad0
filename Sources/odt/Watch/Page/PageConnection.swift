import CODTGStreamer
import Glibc
import SwiftODT

/// One browser's connection, from accepting to closing. Use it only on the server's thread.
final class PageConnection {
    /// The maximum time in nanoseconds for receiving the request, and for closing the connection after the
    /// response.
    private static let idle: Nanoseconds = 15_000_000_000
    /// The maximum time in nanoseconds for which a client may receive no data of a response.
    private static let slow: Nanoseconds = 30_000_000_000

    /// The value of `POLLRDHUP`. glibc declares this constant only with `_GNU_SOURCE`.
    private static let isHalfClosed: Int16 = 0x2000

    let remote: String
    private let soup: Soup
    private let socket: Soup.Object
    /// The monotonic time at which the connection was accepted, the request began, data of the response was written, or
    /// the response ended, whichever was last.
    private(set) var since = MonotonicClock.now
    /// The request that is being answered; `nil` before and after it.
    private(set) var message: Soup.Object?
    var stream: PictureStream?
    /// The camera whose next picture the current request waits for, and the monotonic time since which it waits.
    var awaited: (camera: String, since: Nanoseconds)?

    /// Takes ownership of the socket.
    init(_ socket: Soup.Object, from remote: String, _ soup: Soup) {
        (self.socket, self.remote, self.soup) = (socket, remote, soup)
    }

    deinit {
        end()
        g_object_unref(UnsafeMutableRawPointer(socket))
    }

    func begin(_ message: Soup.Object) {
        end()
        g_object_ref(UnsafeMutableRawPointer(message))
        self.message = message
        Soup.connect(message, "wrote-body-data", Self.dataWritten, Unmanaged.passUnretained(self).toOpaque())
    }

    func end() {
        if let message {
            g_signal_handlers_disconnect_matched(
                UnsafeMutableRawPointer(message), G_SIGNAL_MATCH_DATA, 0, 0, nil, nil,
                Unmanaged.passUnretained(self).toOpaque())
            g_object_unref(UnsafeMutableRawPointer(message))
        }
        (message, stream, awaited, since) = (nil, nil, nil, MonotonicClock.now)
    }

    /// Called when some data of a response was written.
    private static let dataWritten: @convention(c) (Soup.Object?, guint, UnsafeMutableRawPointer?) -> Void = {
        _, _, connection in
        guard let connection else { return }
        Unmanaged<PageConnection>.fromOpaque(connection).takeUnretainedValue().since = MonotonicClock.now
    }

    /// Returns whether the connection exceeds a time limit or the client has left, so that it has to be closed.
    func isOverdue(at now: Nanoseconds) -> Bool {
        if let stream { return stream.isStuck(at: now) || isLeft }
        return now - since > (message == nil ? Self.idle : Self.slow)
    }

    /// Whether the client has closed the connection. The socket is polled, because a closed connection is otherwise
    /// noticed only when data is written.
    private var isLeft: Bool {
        var pollEntry = pollfd(fd: soup.descriptorOfSocket(socket), events: Self.isHalfClosed, revents: 0)
        return pollEntry.fd < 0 || (poll(&pollEntry, 1, 0) > 0 && pollEntry.revents != 0)
    }

    /// Shuts down the socket, even during a response. libsoup then releases the objects of the connection.
    func cut() { _ = soup.shutdownSocket(socket, 1, 1, nil) }
}
