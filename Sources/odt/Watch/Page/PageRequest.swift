/// What a browser asks for, as far as it matters here.
struct PageRequest {
    var method: String
    /// As it came, still escaped.
    var path: String
    var query: String
    /// The header's value; empty where there was none.
    var host: String
    var cookie: String
    /// The client's address: the peer's, or what a trusted proxy forwards.
    var remote: String
    /// Whether something comes behind the headers.
    var hasBody: Bool

    /// A value of the query, where it stands there once and needs no unescaping.
    func value(_ name: String) -> String? {
        let values = query.split(separator: "&").filter { $0.hasPrefix(name + "=") }
        return values.count == 1 ? String(values[0].dropFirst(name.utf8.count + 1)) : nil
    }

    /// All values of a cookie: a browser may send one of another path as well.
    func cookies(_ name: String) -> [String] {
        cookie.split(separator: ";").compactMap { word in
            let word = word.drop { $0 == " " }
            return word.hasPrefix(name + "=") ? String(word.dropFirst(name.utf8.count + 1)) : nil
        }
    }

    /// What the header calls this machine, without the port: `localhost` of `localhost:8080`, `::1` of `[::1]:8080`.
    var hostName: String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" }).lowercased()
    }

    /// The parts of the path, unescaped; `nil` where it is no text, or hides a slash.
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
