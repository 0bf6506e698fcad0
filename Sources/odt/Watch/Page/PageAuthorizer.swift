import Glibc
import ODTPlayback
import SwiftODT

/// Decides which clients may access the page. If no token is required, only browsers that use a local host name, and no
/// proxy, have access. Otherwise only clients that send the token have access.
struct PageAuthorizer {
    enum Verdict: Equatable {
        /// Access is granted.
        case open
        /// Access is granted, and the response tells the browser to keep the token in a cookie.
        case allowAndSetCookie
        /// Access is denied. The values are the HTTP status and the reason. If `isStale` is true, the browser's cookie
        /// is removed.
        case deny(Int, String, isStale: Bool)
    }

    /// The token that clients need; `nil` if no token is required.
    let token: PageToken?
    let port: UInt16
    private var wrong = TokenAttemptLimiter()

    init(token: PageToken?, port: UInt16) { (self.token, self.port) = (token, port) }

    /// The name of the cookie with the token. It contains the port, because browsers share cookies between all ports of
    /// a host.
    var cookieName: String { "odt-watch-\(port)" }

    /// Decides about a request. `now` is the current monotonic time in nanoseconds.
    mutating func judge(_ request: PageRequest, at now: Nanoseconds) -> Verdict {
        guard let token else {
            // A reverse proxy on this machine would give other machines access.
            guard !request.isForwarded else { return .deny(403, Self.proxyRemedy, isStale: false) }
            // The check of the host name prevents DNS rebinding. In this attack, the host name of a foreign web page
            // resolves to 127.0.0.1.
            return Self.isLocal(request.hostName)
                ? .open
                : .deny(
                    403, "This page is available only on this machine, as localhost or 127.0.0.1.", isStale: false)
        }
        // A valid token is accepted even if the client's address has sent too many wrong tokens, because clients behind
        // a proxy or router share an address.
        if let guess = request.value("token"), token.matches(guess) { return .allowAndSetCookie }
        if let guess = request.bearer, token.matches(guess) { return .open }
        let kept = request.cookies(cookieName)
        if kept.contains(where: token.matches) { return .open }
        guard !wrong.mustWait(request.remote, at: now) else {
            return .deny(429, "Too many wrong tokens. Wait a minute.", isStale: false)
        }
        guard request.value("token") != nil || request.bearer != nil || !kept.isEmpty else {
            return .deny(403, Self.remedy, isStale: false)
        }
        wrong.note(request.remote, at: now)
        return .deny(403, Self.remedy, isStale: !kept.isEmpty)
    }

    private static let remedy = "This page requires a token: open the address that odt watch printed at startup."

    private static let proxyRemedy =
        "Behind a proxy, this page requires a token: start odt watch with --page-trusted-proxy and the proxy's address, "
        + "or use --page-token-file or --metrics-token-file."

    private static func isLocal(_ name: String) -> Bool {
        if name == "localhost" || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// Counts wrong tokens by client address. After ``maximum`` wrong tokens from an address within ``period``, requests
/// from this address are rejected until the period ends. Requests with a valid token are still accepted.
struct TokenAttemptLimiter {
    /// The maximum number of wrong tokens per period and address. A few wrong tokens may be typing errors.
    static let maximum = 20
    static let period: Nanoseconds = 60_000_000_000
    /// The maximum number of addresses for which wrong tokens are counted. An attacker with more addresses still has to
    /// guess 128 bits.
    private static let maximumAddresses = 256

    private var tries: [String: (count: Int, since: Nanoseconds)] = [:]

    mutating func note(_ address: String, at now: Nanoseconds) {
        tries = tries.filter { now - $0.value.since < Self.period }
        if tries.count >= Self.maximumAddresses, let oldest = tries.min(by: { $0.value.since < $1.value.since }) {
            tries[oldest.key] = nil
        }
        tries[address, default: (0, now)].count += 1
    }

    func mustWait(_ address: String, at now: Nanoseconds) -> Bool {
        guard let known = tries[address], now - known.since < Self.period else { return false }
        return known.count >= Self.maximum
    }
}

/// The token that grants access to the page from other machines.
struct PageToken: Sendable {
    let text: String

    /// Returns a token of 128 random bits in hexadecimal.
    static func random() -> PageToken {
        PageToken(text: (0..<32).map { _ in String(UInt8.random(in: 0..<16), radix: 16) }.joined())
    }

    private init(text: String) { self.text = text }

    /// Reads the token from a file. If the file does not exist, creates it with a new token. Only the file's owner can
    /// read it.
    init(file: String, of option: String) throws {
        guard PathText.exists(file) else {
            self = try Self.make(file, of: option)
            return
        }
        guard let bytes = try? ByteStream.read(file), bytes.count <= 4096 else {
            throw PlaybackError("\(option): cannot read \(file)")
        }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 1, words[0].allSatisfy(Self.isSafe), (16...256).contains(words[0].utf8.count) else {
            throw PlaybackError(
                "\(option): \(file) must contain one word of 16 to 256 letters and digits; delete the file to "
                    + "create a new token")
        }
        self.init(text: String(words[0]))
    }

    private static func make(_ file: String, of option: String) throws -> PageToken {
        let token = PageToken.random()
        let descriptor = PathText.withSystemPath(file) {
            open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else {
            throw PlaybackError("\(option): \(file): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let line = Array((token.text + "\n").utf8)
        guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            let problem = errno
            PathText.withSystemPath(file) { _ = unlink($0) }
            throw PlaybackError("\(option): \(file): \(String(cString: strerror(problem)))")
        }
        return token
    }

    /// Compares in constant time, so that the duration does not reveal how many characters of a guess are correct.
    func matches(_ guess: String) -> Bool {
        let (right, guess) = (Array(text.utf8), Array(guess.utf8))
        var difference = right.count ^ guess.count
        for (place, byte) in guess.enumerated().prefix(1024) { difference |= Int(byte ^ right[place % right.count]) }
        return difference == 0
    }

    /// Returns whether the character needs no escaping in URLs and cookies.
    private static func isSafe(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.~".contains(character))
    }
}
