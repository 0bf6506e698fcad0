/// A broker, and what it has to be told to let somebody in.
struct Broker: Sendable {
    /// Whom to trust, and how to be trusted. All are files' names.
    struct TLS: Sendable {
        /// Those that the system trusts, where none is named.
        var authority: String?
        var certificate: String?
        var key: String?
    }

    let address: BrokerAddress
    let tls: TLS?
    /// What the broker tells the others where this program dies.
    let will: MQTTMessage
}
