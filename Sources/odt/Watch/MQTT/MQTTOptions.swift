import Glibc
import ODTPlayback
import SwiftODT

struct MQTTOptions: Sendable {
    static let names: Set<String> = [
        "mqtt", "mqtt-password-file", "mqtt-ca", "mqtt-cert", "mqtt-key", "mqtt-discovery", "mqtt-queue",
    ]
    static let files: Set<String> = ["mqtt-password-file", "mqtt-ca", "mqtt-cert", "mqtt-key"]
    static let help = """
          --mqtt ADDRESS     publish to an MQTT broker: \(BrokerAddress.form). Below TOPIC: CAMERA/track and
                             CAMERA/zone (events, QoS 1), CAMERA/zones/ZONE (counts), CAMERA/objects, CAMERA/snapshot, CAMERA/alarm,
                             CAMERA/state, state. Each odt watch needs its own TOPIC
          --mqtt-password-file FILE
                             read the password from the first line of FILE; $\(passwordVariable) works too. A password
                             in ADDRESS is visible to all users of this machine
          --mqtt-ca FILE     with mqtts://: CA certificates (default: those of the system)
          --mqtt-cert FILE, --mqtt-key FILE
                             with mqtts://: client certificate and key
          --mqtt-discovery PREFIX|off
                             Home Assistant's discovery prefix (default: \(HomeAssistantDiscovery.usualPrefix))
          --mqtt-queue SIZE  maximum size of events that are queued while the broker is away; the oldest are dropped
                             (default: 32M)
        """
    private static let passwordVariable = "SWIFTODT_MQTT_PASSWORD"
    private static let longestPassword = 4096

    private(set) var address: BrokerAddress
    let discoveryPrefix: String?
    /// The maximum size of queued events in bytes.
    let queueSize: Int

    /// - Returns: `nil` if `--mqtt` is not given.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names, without: "mqtt")
        guard let text = options.text("mqtt") else { return nil }
        address = try BrokerAddress(text, of: options.called("mqtt"))
        address.tls = try Self.tls(options, address)
        warning =
            address.password != nil && PathText.arguments().contains { $0.hasSuffix(text) }
            ? "the broker's password is visible in the list of processes: use --mqtt-password-file FILE" : nil
        let prefix = options.text("mqtt-discovery") ?? HomeAssistantDiscovery.usualPrefix
        guard !prefix.isEmpty, MQTTTopic.isGood(prefix) else {
            throw PlaybackError(
                "\(options.called("mqtt-discovery")) must be 'off' or a topic without + and #, not '\(prefix)'",
                isUsage: true)
        }
        discoveryPrefix = prefix == "off" ? nil : prefix
        queueSize = try ByteSize.bytes(of: "mqtt-queue", in: options, minimum: 1 << 10) ?? 32 << 20
        try usePassword(options)
    }

    /// A warning that a password on the command line is visible in the list of processes; `nil` if there is no such
    /// password.
    let warning: String?

    private mutating func usePassword(_ options: WatchOptions) throws {
        let option = options.called("mqtt-password-file")
        if let file = options.text("mqtt-password-file") {
            let line = try ByteStream.read(file).prefix { $0 != 0x0A && $0 != 0x0D }
            guard !line.isEmpty, line.count <= Self.longestPassword else {
                throw PlaybackError("\(option): the first line of \(file) is not a password")
            }
            guard address.user != nil else {
                throw PlaybackError("\(option) needs a user in the address: mqtt://USER@HOST/TOPIC", isUsage: true)
            }
            address.password = String(decoding: line, as: UTF8.self)
        } else {
            address.password = address.password ?? DataFolders.environment(Self.passwordVariable)
        }
    }

    private static func tls(_ options: WatchOptions, _ address: BrokerAddress) throws -> BrokerAddress.TLS? {
        let names = ["mqtt-ca", "mqtt-cert", "mqtt-key"]
        guard address.tls != nil else {
            if let name = names.first(where: { options.text($0) != nil }) {
                throw PlaybackError(
                    "\(options.called(name)) needs TLS: use an address that begins with mqtts://", isUsage: true)
            }
            return nil
        }
        guard (options.text("mqtt-cert") == nil) == (options.text("mqtt-key") == nil) else {
            throw PlaybackError(
                "\(options.called("mqtt-cert")) and \(options.called("mqtt-key")) must be used together", isUsage: true)
        }
        for name in names {
            guard let file = options.text(name), access(file, R_OK) != 0 else { continue }
            throw PlaybackError("\(options.called(name)): cannot read '\(file)': \(String(cString: strerror(errno)))")
        }
        return .init(
            authority: options.text("mqtt-ca"), certificate: options.text("mqtt-cert"), key: options.text("mqtt-key"))
    }
}
