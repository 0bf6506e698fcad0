import Playback
import SwiftODT

/// Who may see the page: on this machine everybody whose browser means this machine, elsewhere who has the token.
struct PageAuthorizer {
    enum Verdict: Equatable {
        case open
        /// Open, and the browser is to keep the token.
        case allowAndSetCookie
        /// The status, why, and whether the browser is to forget its token.
        case deny(Int, String, isStale: Bool)
    }

    /// `nil` where none is needed.
    let token: PageToken?
    let port: UInt16
    private var wrong = TokenAttemptLimiter()

    init(token: PageToken?, port: UInt16) { (self.token, self.port) = (token, port) }

    /// Cookies are not told apart by ports, so the name says which one it is.
    var cookieName: String { "odt-watch-\(port)" }

    mutating func judge(_ request: PageRequest, at now: Nanoseconds) -> Verdict {
        guard let token else {
            // A web page of somebody else's, whose name leads to 127.0.0.1, is not shown what is here.
            return Self.isLocal(request.hostName)
                ? .open
                : .deny(
                    403, "This page is for this machine alone, by the name of localhost or 127.0.0.1.", isStale: false)
        }
        // A valid token comes before the limit on wrong ones: many clients may share an address, behind a proxy or a router.
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

    private static let remedy = "This page asks for a token: open the address that odt watch printed when it started."

    private static func isLocal(_ name: String) -> Bool {
        if name == "localhost" || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
