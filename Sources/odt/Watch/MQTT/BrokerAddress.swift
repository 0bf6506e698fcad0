import ODTPlayback

/// The address of an MQTT broker and the topic prefix, for example `mqtt://user:password@host:1883/house/yard`, with the
/// certificates of TLS.
struct BrokerAddress: Sendable {
    static let form = "mqtt[s]://[USER[:PASSWORD]@]HOST[:PORT]/TOPIC"
    /// The maximum length of the topic prefix in bytes. It is limited because each message contains the topic.
    private static let longestTopic = 512

    /// The file names of certificates and the key.
    struct TLS: Sendable {
        /// The CA certificates; `nil` for the CA certificates of the system.
        var authority: String?
        var certificate: String?
        var key: String?
    }

    /// `nil` for a connection without TLS.
    var tls: TLS?
    let host: String
    let port: Int
    var user: String?
    var password: String?
    /// The prefix of all topics that this program uses.
    let topic: String

    /// - Parameter option: The name of the option that has this value, for error messages.
    /// - Throws: ``PlaybackError`` if the text is not a valid address. The error does not contain the password.
    init(_ text: String, of option: String) throws {
        func refuse(_ reason: String) -> PlaybackError {
            PlaybackError("\(option): the address \(reason); the format is \(Self.form)", isUsage: true)
        }
        guard let scheme = text.firstRange(of: "://"), ["mqtt", "mqtts"].contains(text[..<scheme.lowerBound]) else {
            throw refuse("begins with neither mqtt:// nor mqtts://")
        }
        let usesTLS = text[..<scheme.lowerBound] == "mqtts"
        tls = usesTLS ? TLS() : nil
        let rest = text[scheme.upperBound...]
        // The first slash after the scheme ends the part with user, password and host. A slash in the password must
        // therefore be written as `%2F`.
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var place = rest[..<slash]
        if let at = place.lastIndex(of: "@") {
            let words = place[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let user = PercentEscapes.decoded(words[0]), !user.isEmpty else {
                throw refuse("has no user before the @")
            }
            self.user = user
            if words.count > 1 {
                guard let password = PercentEscapes.decoded(words[1]) else {
                    throw refuse("has an invalid % escape in its password: write % as %25")
                }
                self.password = password
            }
            place = place[place.index(after: at)...]
        }
        guard let (host, port) = Self.hostAndPort(place) else { throw refuse("has no host and port") }
        self.host = host
        self.port = port ?? (usesTLS ? 8883 : 1883)
        let topic = String(rest[slash...].drop { $0 == "/" })
        self.topic = topic.hasSuffix("/") ? String(topic.dropLast()) : topic
        guard !self.topic.isEmpty else { throw refuse("has no topic") }
        guard self.topic.utf8.count <= Self.longestTopic else { throw refuse("has too long a topic") }
        guard MQTTTopic.isGood(self.topic) else {
            throw refuse("has an invalid topic: it must not contain +, # or control characters or begin with $")
        }
    }

    /// The host and port as HOST:PORT, for messages to the user.
    var name: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// Parses a host name, an IPv4 address, or an IPv6 address in brackets, each with an optional port.
    private static func hostAndPort(_ text: Substring) -> (String, Int?)? {
        let host: Substring
        var rest: Substring
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
        }
        guard !host.isEmpty, !host.utf8.contains(0) else { return nil }
        guard rest.popFirst() != nil else { return (String(host), nil) }
        guard text[text.index(before: rest.startIndex)] == ":", rest.allSatisfy({ $0.isASCII && $0.isNumber }),
            let port = Int(rest), (1...65535).contains(port)
        else {
            return nil
        }
        return (String(host), port)
    }
}
