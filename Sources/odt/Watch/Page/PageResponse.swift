import SwiftODT

/// A response of the page's server.
enum PageResponse {
    case text(Int, [UInt8], kind: String, headers: [(String, String)] = [])
    /// A stream of a camera's pictures.
    case pictures(String)
    /// The next picture of a camera.
    case picture(String)

    static func sentence(_ status: Int, _ text: String, headers: [(String, String)] = []) -> PageResponse {
        .text(status, Array((text + "\n").utf8), kind: "text/plain; charset=utf-8", headers: headers)
    }

    static func json(_ value: JSONValue) -> PageResponse {
        .text(200, Array(value.text.utf8), kind: "application/json")
    }

    /// Returns the response to a request. No path leads to a file of the machine.
    static func to(_ request: PageRequest, _ board: CameraBoard) -> PageResponse {
        guard !request.hasBody else { return .sentence(413, "Requests with a body are not accepted.") }
        guard request.method == "GET" || request.method == "HEAD" else {
            return .sentence(405, "Only GET and HEAD are supported.", headers: [("Allow", "GET, HEAD")])
        }
        switch request.segments {
        case [""]:
            let nonce = PageToken.random().text
            return .text(
                200, PageDocument.html(nonce: nonce), kind: "text/html; charset=utf-8",
                headers: [("Content-Security-Policy", PageDocument.policy(nonce: nonce))])
        case ["api", "cameras"]: return .json(board.cameras)
        case ["api", "events"]:
            guard let since = request.value("since").map(Int.init) ?? 0, since >= 0 else {
                return .sentence(400, "since= must be the number of an event.")
            }
            return .json(board.events(since: since))
        case let path? where path.count == 3 && path[0] == "api" && path[1] == "counts":
            return board.counts(of: path[2]).map(PageResponse.json) ?? nothing
        case let path? where path.count == 2:
            if path[0] == "live", let camera = camera(path[1], ".mjpg", board) { return .pictures(camera) }
            if path[0] == "snapshot", let camera = camera(path[1], ".jpg", board) { return .picture(camera) }
            return nothing
        default: return nothing
        }
    }

    private static let nothing = PageResponse.sentence(404, "Not found.")

    private static func camera(_ file: String, _ ending: String, _ board: CameraBoard) -> String? {
        guard file.hasSuffix(ending) else { return nil }
        let name = String(file.dropLast(ending.count))
        return board.has(name) ? name : nil
    }
}
