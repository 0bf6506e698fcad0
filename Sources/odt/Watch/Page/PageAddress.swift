import Playback

/// The address of the page: `8080`, `0.0.0.0:8080`, `[::1]:8080`. With only a port, the page is served on 127.0.0.1.
struct PageAddress: Sendable {
    /// A host name or IP address without brackets.
    let host: String
    /// 0 selects a free port.
    let port: UInt16

    /// - Parameter name: The name of the option for error messages.
    /// - Throws: ``CommandLineError`` with the valid format.
    init(_ text: String, called name: String) throws {
        let (host, port) = try Self.split(text, called: name)
        guard let number = UInt16(port), port.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw CommandLineError("\(name): '\(port)' is not a port: use 8080, or 0.0.0.0:8080 for other machines.")
        }
        (self.host, self.port) = (host, number)
    }

    private static func split(_ text: String, called name: String) throws -> (host: String, port: String) {
        guard let colon = text.lastIndex(of: ":") else { return ("127.0.0.1", text) }
        let (host, port) = (text[..<colon], String(text[text.index(after: colon)...]))
        if host.hasPrefix("["), host.hasSuffix("]"), host.count > 2 {
            return (String(host.dropFirst().dropLast()), port)
        }
        guard !host.contains(":"), !text.hasSuffix("]") else {
            throw CommandLineError("\(name): an IPv6 address needs brackets and a port: '[::1]:8080'.")
        }
        guard !host.isEmpty else {
            throw CommandLineError("\(name): '\(text)' has no address: use 0.0.0.0\(text) for all of them.")
        }
        return (String(host), port)
    }

    /// Formats host and port as in a URL.
    static func written(_ host: String, _ port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
