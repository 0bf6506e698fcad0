struct PageOptions: Sendable {
    static let names: Set<String> = ["page", "page-token-file", "page-trusted-proxy"]
    static let files: Set<String> = ["page-token-file"]
    static let help = """
          --page [ADDRESS:]PORT
                             serve a live page with annotated video, objects, counts and events. Without ADDRESS only for this
                             machine; another ADDRESS (0.0.0.0: all of this machine) requires a token, which is printed with
                             the page's address
          --page-token-file FILE
                             read the token from FILE, or create FILE; default: a new token at each start
          --page-trusted-proxy ADDRESS[/BITS],...
                             reverse proxies in front of the page, whose X-Forwarded-For header names the client. Requires a
                             token at any ADDRESS
        """

    let address: PageAddress
    let tokenFile: String?
    let trustedProxies: TrustedProxies

    /// - Returns: `nil` if `--page` is not given.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names, without: "page")
        guard let text = options.text("page") else { return nil }
        tokenFile = options.text("page-token-file")
        trustedProxies =
            try options.text("page-trusted-proxy").map {
                try TrustedProxies($0, called: options.called("page-trusted-proxy"))
            } ?? TrustedProxies()
        address = try PageAddress(text, called: options.called("page"))
    }
}

/// The address at which the page is served: `8080`, `0.0.0.0:8080` or `[::1]:8080`. With only a port, the page is
/// served on 127.0.0.1.
struct PageAddress: Sendable {
    /// A host name or an IP address without brackets.
    let host: String
    /// The port; 0 selects a free port.
    let port: UInt16

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

    /// Formats a host and a port as in a URL.
    static func written(_ host: String, _ port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
