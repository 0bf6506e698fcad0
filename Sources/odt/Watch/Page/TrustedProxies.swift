import Glibc

/// The reverse proxies whose `X-Forwarded-For` header is trusted. Any other client could forge the header.
struct TrustedProxies: Sendable {
    /// An IP address as the 16 bytes of IPv6. IPv4 addresses are mapped to IPv6 (`::ffff:192.0.2.1`), as in the
    /// addresses of a dual-stack socket.
    private struct Address {
        let bytes: [UInt8]
        let isMapped: Bool

        init?(_ text: some StringProtocol) {
            // In a link-local address, a percent sign and the name of the interface follow the IP address. They are
            // ignored.
            let text = String(text.prefix { $0 != "%" })
            var bytes = [UInt8](repeating: 0, count: 16)
            if inet_pton(AF_INET6, text, &bytes) != 1 {
                var four = [UInt8](repeating: 0, count: 4)
                guard inet_pton(AF_INET, text, &four) == 1 else { return nil }
                bytes = Self.mapping + four
            }
            self.bytes = bytes
            isMapped = bytes.starts(with: Self.mapping)
        }

        private static let mapping = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
    }

    private struct Network {
        let address: Address
        /// The length of the network prefix in bits, 0 to 128.
        let bits: Int

        func contains(_ other: Address) -> Bool {
            let whole = bits / 8, mask = UInt8(truncatingIfNeeded: 0xff00 >> (bits % 8))
            return address.bytes[..<whole] == other.bytes[..<whole]
                && (whole == 16 || (address.bytes[whole] ^ other.bytes[whole]) & mask == 0)
        }
    }

    private let networks: [Network]

    var isEmpty: Bool { networks.isEmpty }

    init() { networks = [] }

    /// - Parameter text: Addresses and networks, separated by commas, for example `127.0.0.1,172.16.0.0/12`.
    init(_ text: String, called name: String) throws {
        let words = text.filter { $0 != " " }.split(separator: ",", omittingEmptySubsequences: false)
        networks = try words.map { word in
            let parts = word.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let address = parts.first.flatMap({ Address($0) }),
                let bits = Self.bits(parts.dropFirst().first, address)
            else {
                throw CommandLineError(
                    "\(name): '\(word)' is not an IP address or network: use 127.0.0.1, ::1 or 172.16.0.0/12.")
            }
            return Network(address: address, bits: bits)
        }
    }

    private static func bits(_ text: Substring?, _ address: Address) -> Int? {
        let length = address.isMapped ? 32 : 128
        guard let text else { return 128 }
        guard let bits = Int(text), (0...length).contains(bits) else { return nil }
        return 128 - length + bits
    }

    /// Returns the address of the client that sent a request. The TCP peer may be a proxy. Each proxy appends the
    /// address of its own TCP peer to the list in the header. The list is therefore read from its end, as long as each
    /// address belongs to a trusted proxy.
    ///
    /// - Parameter forwarded: The value of the `X-Forwarded-For` header; empty if the header is missing.
    func client(of peer: String, forwarded: String) -> String {
        var client = peer
        var rest = forwarded.split(separator: ",")[...]
        while isTrusted(client), let next = rest.popLast() {
            let next = next.drop { $0 == " " }.prefix { $0 != " " }
            // Proxies write only addresses. Any other text was written by a client and is not trusted.
            guard Address(next) != nil else { break }
            client = String(next)
        }
        return client
    }

    private func isTrusted(_ text: String) -> Bool {
        guard !networks.isEmpty, let address = Address(text) else { return false }
        return networks.contains { $0.contains(address) }
    }
}
