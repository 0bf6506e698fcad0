import CGStreamer
import Glibc
import SwiftODT

/// One browser's connection, from where it was accepted to where it is closed. Of the server's thread.
final class PageConnection {
    /// How long a browser may take for its request, or keep a connection without one.
    private static let idle: Nanoseconds = 15_000_000_000
    /// How long it may take for an answer.
    private static let slow: Nanoseconds = 30_000_000_000

    /// POLLRDHUP, which the C library shows to those alone who ask for GNU's additions.
    private static let isHalfClosed: Int16 = 0x2000

    let remote: String
    private let soup: Soup
    private let socket: Soup.Object
    private(set) var since = MonotonicClock.now
    /// The message that is being answered.
    private(set) var message: Soup.Object?
    /// The pictures that it looks at.
    var stream: PictureStream?
    /// The picture that it waits for, and since when.
    var awaited: (camera: String, since: Nanoseconds)?

    /// Takes the socket over.
    init(_ socket: Soup.Object, from remote: String, _ soup: Soup) {
        (self.socket, self.remote, self.soup) = (socket, remote, soup)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(socket)) }

    func begin(_ message: Soup.Object) { (self.message, since) = (message, MonotonicClock.now) }

    func end() {
        (message, stream, awaited, since) = (nil, nil, nil, MonotonicClock.now)
    }

    /// Whether it only takes up room.
    func isOverdue(at now: Nanoseconds) -> Bool {
        if let stream { return stream.isStuck(at: now) || isLeft }
        return now - since > (message == nil ? Self.idle : Self.slow)
    }

    /// Nobody reads any more; where nothing is being written, only the socket tells.
    private var isLeft: Bool {
        var pollEntry = pollfd(fd: soup.descriptorOfSocket(socket), events: Self.isHalfClosed, revents: 0)
        return pollEntry.fd < 0 || (poll(&pollEntry, 1, 0) > 0 && pollEntry.revents != 0)
    }

    /// Closes it, whatever is under way; libsoup notices, and lets go of all that belongs to it.
    func cut() { _ = soup.shutdownSocket(socket, 1, 1, nil) }
}
