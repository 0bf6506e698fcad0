import ODTPlayback
import SwiftODT

enum PageResponse {
    case text(Int, [UInt8], kind: String, headers: [(String, String)] = [])
    /// A multipart stream of the pictures of the named camera.
    case pictures(String)
    /// The next picture of the named camera.
    case picture(String)

    /// A file of this machine, with its path and its media type. If it is played, a part is at most
    /// ``ByteRange/largest`` long.
    case file(String, kind: String, isPlayed: Bool)

    static func sentence(_ status: Int, _ text: String, headers: [(String, String)] = []) -> PageResponse {
        .text(status, Array((text + "\n").utf8), kind: "text/plain; charset=utf-8", headers: headers)
    }

    static func json(_ value: JSONValue) -> PageResponse {
        .text(200, Array(value.text.utf8), kind: "application/json")
    }

    static let nothing = PageResponse.sentence(404, "Not found.")
}

/// What a server serves: metrics and, if there is a board, the page.
struct PageContent: Sendable {
    var board: CameraBoard?
    let metrics: MetricsBoard
    /// The recordings and clips; `nil` without a page.
    var recordings: PageRecordings?

    /// Returns the response to a request. No path gives access to a file of the machine, except recordings, clips and
    /// the pictures of clips.
    func response(to request: PageRequest) -> PageResponse {
        guard !request.hasBody else { return .sentence(413, "Requests with a body are not accepted.") }
        guard request.method == "GET" || request.method == "HEAD" else {
            return .sentence(405, "Only GET and HEAD are supported.", headers: [("Allow", "GET, HEAD")])
        }
        switch request.segments {
        case ["metrics"]:
            return .text(200, Array(metrics.text.utf8), kind: "text/plain; version=0.0.4; charset=utf-8")
        case ["healthz"]:
            let health = metrics.health
            return .sentence(health.isGood ? 200 : 503, health.text)
        default: return board.map { response(to: request, $0) } ?? .nothing
        }
    }

    /// Returns the response to a client without access; `nil` for all paths except `/healthz`. This path needs no
    /// token, so that probes can use it. The response does not contain the reasons of a failure.
    func publicResponse(to request: PageRequest) -> PageResponse? {
        guard request.segments == ["healthz"], !request.hasBody, ["GET", "HEAD"].contains(request.method) else {
            return nil
        }
        return metrics.health.isGood ? .sentence(200, "ok") : .sentence(503, "failing")
    }

    private func response(to request: PageRequest, _ board: CameraBoard) -> PageResponse {
        switch request.segments {
        case [""]:
            let nonce = PageToken.random().text
            return .text(
                200, PageDocument.html(nonce: nonce), kind: "text/html; charset=utf-8",
                headers: [("Content-Security-Policy", PageDocument.policy(nonce: nonce))])
        case ["api", "cameras"]: return .json(board.cameras)
        case ["api", "events"]: return list(request, of: "an event", board.events)
        case ["api", "clips"]: return list(request, of: "a clip", board.clips)
        case let path?
        where path.count > 1 && ["clips", "recordings"].contains(path[0]) || path.starts(with: ["api", "recordings"]):
            return recordings.flatMap { recorded(path, request, $0) } ?? .nothing
        case let path? where path.count == 3 && path[0] == "api" && path[1] == "counts":
            return board.counts(of: path[2]).map(PageResponse.json) ?? .nothing
        case let path? where path.count == 2:
            if path[0] == "live", let camera = camera(path[1], ".mjpg", board) { return .pictures(camera) }
            if path[0] == "snapshot", let camera = camera(path[1], ".jpg", board) { return .picture(camera) }
            return .nothing
        default: return .nothing
        }
    }

    private func list(_ request: PageRequest, of entry: String, _ entries: (Int) -> JSONValue) -> PageResponse {
        guard let since = request.value("since").map(Int.init) ?? 0, since >= 0 else {
            return .sentence(400, "since= must be the number of \(entry).")
        }
        return .json(entries(since))
    }

    private func recorded(_ path: [String], _ request: PageRequest, _ recordings: PageRecordings) -> PageResponse? {
        switch (path[0], path.count) {
        case ("clips", 3), ("recordings", 3):
            recordings.file(path[2], of: path[1], isClip: path[0] == "clips", isPlayed: request.value("play") != nil)
        case ("api", 3): recordings.list(of: path[2]).map(PageResponse.json)
        case ("api", 4) where path[3] == "boxes": recordings.boxes(of: path[2], request)
        case ("api", 4): recordings.details(path[3], of: path[2])
        default: nil
        }
    }

    private func camera(_ file: String, _ ending: String, _ board: CameraBoard) -> String? {
        guard file.hasSuffix(ending) else { return nil }
        let name = String(file.dropLast(ending.count))
        return board.has(name) ? name : nil
    }
}

struct PageRequest {
    var method: String
    /// The path of the URL. Its percent escapes are not decoded.
    var path: String
    var query: String
    /// The value of the `Host` header; empty if the header is missing.
    var host: String
    var cookie: String
    var authorization: String
    /// The address of the client: the address of the TCP peer or, if the peer is a trusted proxy, the address that the
    /// proxy forwards.
    var remote: String
    /// Whether a header of the request names a proxy.
    var isForwarded: Bool
    var hasBody: Bool

    /// Returns the value of a query parameter without decoding its escapes; `nil` if the parameter does not occur
    /// exactly once.
    func value(_ name: String) -> String? {
        let values = query.split(separator: "&").filter { $0.hasPrefix(name + "=") }
        return values.count == 1 ? String(values[0].dropFirst(name.utf8.count + 1)) : nil
    }

    /// The token of an `Authorization: Bearer` header, as Prometheus sends it.
    var bearer: String? {
        let words = authorization.split(separator: " ")
        return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
    }

    /// Returns all values of a cookie, because a browser may also send a cookie of the same name that was set for
    /// another path.
    func cookies(_ name: String) -> [String] {
        cookie.split(separator: ";").compactMap { word in
            let word = word.drop { $0 == " " }
            return word.hasPrefix(name + "=") ? String(word.dropFirst(name.utf8.count + 1)) : nil
        }
    }

    /// The host name in the `Host` header without the port: `localhost` for `localhost:8080`, `::1` for `[::1]:8080`.
    var hostName: String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" }).lowercased()
    }

    /// The components of the path with decoded escapes. `nil` if the path is not valid UTF-8 or if a component contains
    /// a slash or a zero byte.
    var segments: [String]? {
        guard path.hasPrefix("/") else { return nil }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let text = PercentEscapes.decoded(part), !text.contains("/"), !text.contains("\0") else { return nil }
            segments.append(text)
        }
        return segments
    }
}

/// The part of a file that an HTTP `Range` header requests.
struct ByteRange: Equatable {
    /// The maximum size in bytes of a part for the player. Browsers request the whole rest of a file, but stop reading
    /// while the video is paused, so the response would stay open. With the limit, it ends soon, and they later request
    /// the next part.
    static let largest = 4 << 20

    let first: Int
    let count: Int

    enum Request: Equatable {
        /// The header is missing, invalid, or names several parts. The response is the whole file.
        case whole
        case part(ByteRange)
        /// The part begins after the end of the file.
        case beyond
    }

    static func request(_ header: String, size: Int, largest: Int = .max) -> Request {
        guard header.hasPrefix("bytes=") else { return .whole }
        let words = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 2, words.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return .whole
        }
        switch (Int(words[0]), Int(words[1])) {
        case (let first?, let last):
            guard last != nil || words[1].isEmpty, last.map({ $0 >= first }) ?? true else { return .whole }
            guard first < size else { return .beyond }
            let end = last.map { min($0, size - 1) } ?? size - 1
            return .part(ByteRange(first: first, count: min(end - first + 1, largest)))
        case (nil, let length?) where words[0].isEmpty:
            guard length > 0, size > 0 else { return .beyond }
            let count = min(length, size)
            return .part(ByteRange(first: size - count, count: min(count, largest)))
        default: return .whole
        }
    }
}
