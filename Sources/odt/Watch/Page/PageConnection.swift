import CGStreamer
import Glibc
import SwiftODT

/// One browser's connection, from accepting to closing. Use it only on the server's thread.
final class PageConnection {
    /// The maximum time in nanoseconds for receiving a request from the client, and for waiting between two requests.
    private static let idle: Nanoseconds = 15_000_000_000
    /// The maximum time in nanoseconds for sending a response to the client.
    private static let slow: Nanoseconds = 30_000_000_000

    /// The value of `POLLRDHUP`. glibc declares this constant only with `_GNU_SOURCE`.
    private static let isHalfClosed: Int16 = 0x2000

    let remote: String
    private let soup: Soup
    private let socket: Soup.Object
    /// The monotonic time at which the connection was accepted, the latest request began or the latest response ended,
    /// whichever was last.
    private(set) var since = MonotonicClock.now
    /// The request that is being answered; `nil` between requests.
    private(set) var message: Soup.Object?
    var stream: PictureStream?
    /// The camera whose next picture the current request waits for, and the monotonic time since which it waits.
    var awaited: (camera: String, since: Nanoseconds)?

    private var allowed = PageConnection.slow

    /// Takes ownership of the socket.
    init(_ socket: Soup.Object, from remote: String, _ soup: Soup) {
        (self.socket, self.remote, self.soup) = (socket, remote, soup)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(socket)) }

    func begin(_ message: Soup.Object) { (self.message, since, allowed) = (message, MonotonicClock.now, Self.slow) }

    /// Sets the time limit of the current response: 30 s plus 1 s per 64 KiB. `size` is the size of the response in
    /// bytes.
    func allow(sending size: Int) { allowed = Self.slow + Nanoseconds(size >> 16) * 1_000_000_000 }

    func end() {
        (message, stream, awaited, since) = (nil, nil, nil, MonotonicClock.now)
    }

    /// Returns whether the connection exceeds a time limit or the client has left, so that it has to be closed.
    func isOverdue(at now: Nanoseconds) -> Bool {
        if let stream { return stream.isStuck(at: now) || isLeft }
        return now - since > (message == nil ? Self.idle : allowed)
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
