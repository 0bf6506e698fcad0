import Glibc
import ODTPlayback

struct PageSocket {
    let descriptor: Int32
    let port: UInt16
    /// Whether only this machine can connect.
    let isLoopback: Bool
    /// The addresses of this machine under which the page can be reached.
    let hosts: [String]

    init(_ address: PageAddress, of option: String) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(address.host, String(address.port), &hints, &found)
        guard status == 0, let first = found else {
            throw PlaybackError(
                "\(option): '\(address.host)' is not an address of this machine (\(String(cString: gai_strerror(status)))): "
                    + "use 0.0.0.0 for all its addresses", isUsage: true)
        }
        defer { freeaddrinfo(found) }
        let descriptor = try Self.listen(first.pointee, address, of: option)
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &name) {
            _ = getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        (self.descriptor, isLoopback) = (descriptor, Self.isLoopback(name))
        // The port has the same offset in both address families.
        port = withUnsafeBytes(of: name) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
        let isEvery = Self.bytes(of: name).allSatisfy { $0 == 0 }
        hosts = isEvery ? Self.machineAddresses(includingSix: name.ss_family == AF_INET6) : [address.host]
    }

    private static func listen(_ place: addrinfo, _ address: PageAddress, of option: String) throws -> Int32 {
        let kind = place.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let file = socket(place.ai_family, kind, 0)
        guard file >= 0 else { throw refusal(address, of: option) }
        var yes: Int32 = 1
        setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        // Accepted sockets inherit this small send buffer. It limits the number of outdated pictures on the way to a
        // slow client.
        var room: Int32 = 128 << 10
        setsockopt(file, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        guard bind(file, place.ai_addr, place.ai_addrlen) == 0, Glibc.listen(file, 64) == 0 else {
            let refusal = refusal(address, of: option)
            close(file)
            throw refusal
        }
        return file
    }

    /// Converts the value of `errno` to an error with a remedy.
    private static func refusal(_ address: PageAddress, of option: String) -> PlaybackError {
        let problem = errno
        let place = PageAddress.written(address.host, address.port)
        switch problem {
        case EADDRINUSE:
            return PlaybackError(
                "\(option): another program uses \(place): choose another port, or 0 for a free one")
        case EADDRNOTAVAIL:
            return PlaybackError(
                "\(option): this machine has no address \(address.host): 'ip address' lists its addresses; use "
                    + "0.0.0.0 for all of them", isUsage: true)
        case EACCES:
            return PlaybackError("\(option): no permission for port \(address.port): use a port from 1024 up")
        default: return PlaybackError("\(option): \(place): \(String(cString: strerror(problem)))")
        }
    }

    private static func bytes(of name: sockaddr_storage) -> [UInt8] {
        withUnsafeBytes(of: name) { name.ss_family == AF_INET6 ? Array($0[8..<24]) : Array($0[4..<8]) }
    }

    private static func isLoopback(_ name: sockaddr_storage) -> Bool {
        let bytes = bytes(of: name)
        if bytes.count == 4 { return bytes[0] == 127 }
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// Returns up to four addresses of this machine, without loopback and link-local addresses.
    private static func machineAddresses(includingSix: Bool) -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return ["127.0.0.1"] }
        defer { freeifaddrs(list) }
        var hosts: [String] = []
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, let name = entry.ifa_addr,
                entry.ifa_flags & UInt32(IFF_UP) != 0, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            let family = Int32(name.pointee.sa_family)
            guard family == AF_INET || (family == AF_INET6 && includingSix) else { continue }
            let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard getnameinfo(name, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            let host = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
            // A link-local address needs an interface name, which browsers do not support.
            if !host.hasPrefix("fe80:") { hosts.append(host) }
        }
        return hosts.isEmpty ? ["127.0.0.1"] : Array(hosts.prefix(4))
    }
}
