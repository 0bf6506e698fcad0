/// The address and credentials of an MQTT broker.
struct Broker: Sendable {
    /// File names of certificates and keys.
    struct TLS: Sendable {
        /// The CA certificates; `nil` for those of the system.
        var authority: String?
        var certificate: String?
        var key: String?
    }

    let address: BrokerAddress
    let tls: TLS?
    /// The will: the broker publishes it when the connection is lost without a disconnect.
    let will: MQTTMessage
}
