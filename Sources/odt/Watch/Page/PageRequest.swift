/// The parts of an HTTP request that the page uses.
struct PageRequest {
    var method: String
    /// The path with its percent escapes.
    var path: String
    var query: String
    /// The Host header; empty if it is missing.
    var host: String
    var cookie: String
    /// The client's address: that of the peer, or that forwarded by a trusted proxy.
    var remote: String
    /// Whether the request has a body.
    var hasBody: Bool

    /// Returns a query value without decoding escapes; `nil` if the name does not occur exactly once.
    func value(_ name: String) -> String? {
        let values = query.split(separator: "&").filter { $0.hasPrefix(name + "=") }
        return values.count == 1 ? String(values[0].dropFirst(name.utf8.count + 1)) : nil
    }

    /// Returns all values of a cookie, because a browser may also send one that was set for another path.
    func cookies(_ name: String) -> [String] {
        cookie.split(separator: ";").compactMap { word in
            let word = word.drop { $0 == " " }
            return word.hasPrefix(name + "=") ? String(word.dropFirst(name.utf8.count + 1)) : nil
        }
    }

    /// The host name of the Host header without the port: `localhost` for `localhost:8080`, `::1` for `[::1]:8080`.
    var hostName: String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" }).lowercased()
    }

    /// The decoded components of the path; `nil` if the path is not valid UTF-8 or a component contains a slash or
    /// zero byte.
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
