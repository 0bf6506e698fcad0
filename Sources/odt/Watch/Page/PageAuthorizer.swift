import Glibc
import Playback
import SwiftODT

/// Decides who may see the page: without a token, browsers that use a local host name; otherwise clients with the
/// token.
struct PageAuthorizer {
    enum Verdict: Equatable {
        case open
        /// Access is granted, and the browser stores the token in a cookie.
        case allowAndSetCookie
        /// Access is denied, with the HTTP status and the reason. `isStale` removes the browser's cookie.
        case deny(Int, String, isStale: Bool)
    }

    /// `nil` if no token is required.
    let token: PageToken?
    let port: UInt16
    private var wrong = TokenAttemptLimiter()

    init(token: PageToken?, port: UInt16) { (self.token, self.port) = (token, port) }

    /// The name contains the port, because browsers share cookies between all ports of a host.
    var cookieName: String { "odt-watch-\(port)" }

    mutating func judge(_ request: PageRequest, at now: Nanoseconds) -> Verdict {
        guard let token else {
            // Prevents DNS rebinding: a foreign web page whose host name resolves to 127.0.0.1 gets no access.
            return Self.isLocal(request.hostName)
                ? .open
                : .deny(
                    403, "This page is available only on this machine, as localhost or 127.0.0.1.", isStale: false)
        }
        // A valid token is accepted despite the limit on wrong ones, because clients may share an address behind a
        // proxy or router.
        if let guess = request.value("token"), token.matches(guess) { return .allowAndSetCookie }
        let kept = request.cookies(cookieName)
        if kept.contains(where: token.matches) { return .open }
        guard !wrong.mustWait(request.remote, at: now) else {
            return .deny(429, "Too many wrong tokens. Wait a minute.", isStale: false)
        }
        guard request.value("token") != nil || !kept.isEmpty else {
            return .deny(403, Self.remedy, isStale: false)
        }
        wrong.note(request.remote, at: now)
        return .deny(403, Self.remedy, isStale: !kept.isEmpty)
    }

    private static let remedy = "This page requires a token: open the address that odt watch printed at startup."

    private static func isLocal(_ name: String) -> Bool {
        if name == "localhost" || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// Counts wrong tokens by client address. After ``maximum`` wrong tokens within ``period``, further wrong ones are
/// rejected without a check.
struct TokenAttemptLimiter {
    /// The number of wrong tokens per period that mistyping may explain.
    static let maximum = 20
    static let period: Nanoseconds = 60_000_000_000
    /// The maximum number of remembered addresses. An attacker with more addresses still has to guess 128 bits.
    private static let maximumAddresses = 256

    private var tries: [String: (count: Int, since: Nanoseconds)] = [:]

    mutating func note(_ address: String, at now: Nanoseconds) {
        if tries.count >= Self.maximumAddresses { tries = tries.filter { now - $0.value.since < Self.period } }
        if tries.count >= Self.maximumAddresses, let oldest = tries.min(by: { $0.value.since < $1.value.since }) {
            tries[oldest.key] = nil
        }
        let known = tries[address].flatMap { now - $0.since < Self.period ? $0 : nil }
        tries[address] = ((known?.count ?? 0) + 1, known?.since ?? now)
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
        var source = SystemRandomNumberGenerator()
        return PageToken(text: digits(of: source.next()) + digits(of: source.next()))
    }

    private init(text: String) { self.text = text }

    /// Reads the token from a file. If the file does not exist, creates it with a new token, readable only for its
    /// owner.
    ///
    /// - Throws: ``PlaybackError`` if the file cannot be read or does not contain a valid token.
    init(file: String) throws {
        guard PathText.isThere(file) else {
            self = try Self.make(file)
            return
        }
        guard let bytes = try? ByteStream.read(file), bytes.count <= 4096 else {
            throw PlaybackError("--page-token-file: cannot read \(file)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let word = String(text.drop { $0.isWhitespace }.prefix { !$0.isWhitespace })
        guard text.allSatisfy({ $0.isWhitespace || Self.isSafe($0) }), (16...256).contains(word.utf8.count),
            text.split(whereSeparator: \.isWhitespace).count == 1
        else {
            throw PlaybackError(
                "--page-token-file: \(file) must contain one word of 16 to 256 letters and digits; delete the file to "
                    + "create a new token")
        }
        self.init(text: word)
    }

    private static func make(_ file: String) throws -> PageToken {
        let token = PageToken.random()
        let descriptor = PathText.withSystemPath(file) {
            open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else {
            throw PlaybackError("--page-token-file: \(file): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let line = Array((token.text + "\n").utf8)
        guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            let problem = errno
            PathText.withSystemPath(file) { _ = unlink($0) }
            throw PlaybackError("--page-token-file: \(file): \(String(cString: strerror(problem)))")
        }
        return token
    }

    /// Compares in constant time, so that the duration does not reveal how much of a guess is correct.
    func matches(_ guess: String) -> Bool {
        let (right, guess) = (Array(text.utf8), Array(guess.utf8))
        var difference = right.count ^ guess.count
        for (place, byte) in guess.enumerated().prefix(1024) { difference |= Int(byte ^ right[place % right.count]) }
        return difference == 0
    }

    /// Returns whether the character needs no escaping in a URL or cookie.
    private static func isSafe(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.~".contains(character))
    }

    private static func digits(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
