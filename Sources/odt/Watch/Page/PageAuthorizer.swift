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
