import Glibc
import Playback
import SwiftODT

/// `--mqtt` and what belongs to it.
struct MQTTOptions: Sendable {
    static let names: Set<String> = [
        "mqtt", "mqtt-password-file", "mqtt-ca", "mqtt-cert", "mqtt-key", "mqtt-discovery", "mqtt-queue",
    ]
    /// Those that name files.
    static let files: Set<String> = ["mqtt-password-file", "mqtt-ca", "mqtt-cert", "mqtt-key"]
    static let help = """
          --mqtt ADDRESS     tell a broker: \(BrokerAddress.form). Below TOPIC: CAMERA/track and CAMERA/zone
                             (events, each at least once), CAMERA/zones/ZONE (counts), CAMERA/objects, CAMERA/state, state
          --mqtt-password-file FILE
                             its first line is the password; so is $\(passwordVariable). One in the address can be
                             seen by everybody on this machine
          --mqtt-ca FILE     with mqtts://, whom to trust (those whom the system trusts)
          --mqtt-cert FILE, --mqtt-key FILE
                             with mqtts://, how to be trusted
          --mqtt-discovery PREFIX|off
                             where Home Assistant learns of cameras and zones (\(HomeAssistantDiscovery.usualPrefix))
          --mqtt-queue SIZE  events wait in memory while the broker is away; beyond so much the oldest are left out (32M)
        """
    private static let passwordVariable = "SWIFTODT_MQTT_PASSWORD"
    private static let longestPassword = 4096

    private(set) var address: BrokerAddress
    let tls: Broker.TLS?
    let discoveryPrefix: String?
    /// In bytes.
    let queueSize: Int

    /// - Returns: `nil` where no broker is to be told.
    /// - Throws: ``PlaybackError`` that says what is wrong.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names, without: "mqtt")
        guard let text = options.text("mqtt") else { return nil }
        address = try BrokerAddress(text, of: options.called("mqtt"))
        tls = try Self.tls(options, address)
        warning =
            address.password != nil && PathText.arguments().contains { $0.hasSuffix(text) }
            ? "the broker's password can be seen in the list of processes: --mqtt-password-file FILE hides it" : nil
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

    /// What everybody can read in the list of processes: the address's password, where it was on the command line.
    let warning: String?

    private mutating func usePassword(_ options: WatchOptions) throws {
        let option = options.called("mqtt-password-file")
        if let file = options.text("mqtt-password-file") {
            let line = try ByteStream.read(file).prefix { $0 != 0x0A && $0 != 0x0D }
            guard !line.isEmpty, line.count <= Self.longestPassword else {
                throw PlaybackError("\(option): the first line of \(file) has no password")
            }
            guard address.user != nil else {
                throw PlaybackError("\(option) has no user to it: mqtt://USER@HOST/TOPIC", isUsage: true)
            }
            address.password = String(decoding: line, as: UTF8.self)
        } else if address.password == nil, let value = getenv(Self.passwordVariable), value.pointee != 0 {
            address.password = String(cString: value)
        }
    }

    private static func tls(_ options: WatchOptions, _ address: BrokerAddress) throws -> Broker.TLS? {
        let names = ["mqtt-ca", "mqtt-cert", "mqtt-key"]
        guard address.usesTLS else {
            if let name = names.first(where: { options.text($0) != nil }) {
                throw PlaybackError(
                    "\(options.called(name)) is for TLS: the address then begins with mqtts://", isUsage: true)
            }
            return nil
        }
        guard (options.text("mqtt-cert") == nil) == (options.text("mqtt-key") == nil) else {
            throw PlaybackError(
                "\(options.called("mqtt-cert")) and \(options.called("mqtt-key")) go together", isUsage: true)
        }
        for name in names {
            guard let file = options.text(name), access(file, R_OK) != 0 else { continue }
            throw PlaybackError("\(options.called(name)): cannot read '\(file)': \(String(cString: strerror(errno)))")
        }
        return .init(
            authority: options.text("mqtt-ca"), certificate: options.text("mqtt-cert"), key: options.text("mqtt-key"))
    }
}
