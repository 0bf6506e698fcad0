import Playback

/// Where the page is to be had: `8080`, `0.0.0.0:8080`, `[::1]:8080`. Where only a port is named, this machine alone can reach it.
struct PageAddress: Sendable {
    /// A name or the digits of an address, without brackets.
    let host: String
    /// 0 for one that is free.
    let port: UInt16

    /// - Parameter name: what it is called where it was given.
    /// - Throws: ``CommandLineError`` that says how it is written.
    init(_ text: String, called name: String) throws {
        let (host, port) = try Self.split(text, called: name)
        guard let number = UInt16(port), port.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw CommandLineError("\(name): '\(port)' is no port: say 8080, or 0.0.0.0:8080 for other machines, too.")
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
            throw CommandLineError("\(name): an IPv6 address stands in brackets, before a port: '[::1]:8080'.")
        }
        guard !host.isEmpty else {
            throw CommandLineError("\(name): '\(text)' names no address: say 0.0.0.0\(text) for all of this machine.")
        }
        return (String(host), port)
    }

    /// As it stands in an URL.
    static func written(_ host: String, _ port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
