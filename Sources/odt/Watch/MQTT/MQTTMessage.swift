/// A message with its topic.
struct MQTTMessage: Sendable {
    let topic: String
    let payload: [UInt8]

    init(_ topic: String, _ payload: some StringProtocol) {
        (self.topic, self.payload) = (topic, Array(payload.utf8))
    }

    /// The approximate memory use in bytes.
    var size: Int { topic.utf8.count + payload.count + 96 }
}
