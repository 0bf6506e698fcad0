import Glibc
import ODTPlayback

/// One connection to an MQTT broker. All functions must be called on one thread. The library's callbacks run on the
/// same thread.
final class MQTTConnection {
    enum Quality: Int32 {
        /// QoS 0: the message is sent once and may be lost.
        case atMostOnce = 0
        /// QoS 1: the message is sent again until the broker acknowledges it.
        case atLeastOnce = 1
    }

    /// The maximum number of messages that the broker has not acknowledged yet.
    static let maximumInFlight = 20
    /// The MQTT keep-alive interval in seconds.
    private static let keepalive: Int32 = 15
    /// The MQTT client id, the same for all connections of this process. A broker that has not noticed the loss of the
    /// previous connection therefore ends it and publishes its will before it accepts the new connection.
    private static let id = "odt" + String(UInt64.random(in: 0...UInt64.max), radix: 16)

    private let library: MosquittoLibrary
    private let broker: BrokerAddress
    private let client: MosquittoLibrary.Client
    /// The latest error text that libmosquitto logged. It contains OpenSSL's error text, which no function returns.
    private var lastNote: String?
    /// The broker's answer to the connection request: 0 if accepted, an MQTT error code if rejected; `nil` before the
    /// answer.
    private var answer: Int32?
    /// The ids of the messages that the broker acknowledged during the latest call of ``process(_:milliseconds:)``.
    private(set) var acknowledged: [Int32] = []

    /// Connects to the broker. Blocks until the TCP connection is established.
    init(_ library: MosquittoLibrary, to broker: BrokerAddress) throws {
        (self.library, self.broker) = (library, broker)
        guard let client = library.make(Self.id, true, nil) else { throw PlaybackError("--mqtt: no memory is left") }
        self.client = client
        library.setOwner(client, Unmanaged.passUnretained(self).toOpaque())
        library.onConnect(client) { _, connection, code in MQTTConnection.of(connection)?.answer = code }
        library.onPublish(client) { _, connection, number in
            MQTTConnection.of(connection)?.acknowledged.append(number)
        }
        library.onLog(client) { _, connection, level, text in
            guard level == MosquittoCode.errorLine, let text else { return }
            MQTTConnection.of(connection)?.lastNote = String(cString: text)
        }
        // The MQTT will: the broker publishes this message if the connection is lost without a disconnect message.
        let will = MQTTMessage("\(broker.topic)/state", "offline")
        var code = will.payload.withUnsafeBytes {
            library.setWill(client, will.topic, Int32($0.count), $0.baseAddress, Quality.atLeastOnce.rawValue, true)
        }
        if code == MosquittoCode.success, let user = broker.user {
            code = library.setUser(client, user, broker.password)
        }
        if code == MosquittoCode.success, let tls = broker.tls { code = set(tls) }
        if code == MosquittoCode.success {
            code = library.connect(client, broker.host, Int32(broker.port), Self.keepalive)
        }
        guard code == MosquittoCode.success else { throw problem(code, isAtStart: true) }
    }

    deinit {
        library.setOwner(client, nil)
        library.destroy(client)
    }

    var isOpen: Bool { answer == 0 }

    var isBusy: Bool { library.wantsToWrite(client) }

    /// Waits until the broker has sent data or the wakeup pipe is woken, but not longer than `milliseconds`. Then reads
    /// from and writes to the socket.
    func process(_ wakeup: WakeupPipe, milliseconds: Int32) throws {
        acknowledged.removeAll(keepingCapacity: true)
        wakeup.wait(
            milliseconds: milliseconds, orFor: library.socket(client), toWrite: library.wantsToWrite(client))
        let code = library.loop(client, 0, 1)
        guard code == MosquittoCode.success else { throw problem(code, isAtStart: answer == nil) }
    }

    /// Sends a message.
    ///
    /// - Returns: The id with which the broker acknowledges the message; `nil` if the broker cannot accept the message
    ///   on any connection.
    /// - Throws: ``PlaybackError`` for other errors. The connection is then unusable, and the message has to be sent
    ///   again on a new connection.
    func publish(_ message: MQTTMessage, _ quality: Quality, isRetained: Bool = false) throws -> Int32? {
        var number: Int32 = 0
        let code = message.payload.withUnsafeBytes {
            library.publish(
                client, &number, message.topic, Int32(clamping: $0.count), $0.baseAddress, quality.rawValue, isRetained)
        }
        if code == MosquittoCode.success { return number }
        guard MosquittoCode.undeliverable.contains(code) else { throw problem(code) }
        return nil
    }

    /// Disconnects with an MQTT disconnect message. The broker then does not publish the will, the message for a lost
    /// connection.
    func leave() {
        _ = library.disconnect(client)
        var rounds = 0
        while library.wantsToWrite(client), rounds < 50, library.loop(client, 10, 1) == MosquittoCode.success {
            rounds += 1
        }
    }

    private func set(_ tls: BrokerAddress.TLS) -> Int32 {
        if let authority = tls.authority {
            return library.setTLS(client, authority, nil, tls.certificate, tls.key, nil)
        }
        let code = library.setOption(client, MosquittoCode.systemCertificates, 1)
        guard code == MosquittoCode.success, tls.certificate != nil else { return code }
        return library.setTLS(client, nil, "/etc/ssl/certs", tls.certificate, tls.key, nil)
    }

    // MARK: Errors

    /// - Parameter isAtStart: Whether the broker has not yet answered the connection request.
    private func problem(_ code: Int32, isAtStart: Bool = false) -> PlaybackError {
        let system = String(cString: strerror(errno))
        let who = "the broker at \(broker.name)"
        if let answer, answer != 0 { return PlaybackError("\(who) \(Self.refusal(answer, broker.user))") }
        switch code {
        case MosquittoCode.tls:
            let words = lastNote.map { " (\($0))" } ?? ""
            if !isAtStart { return PlaybackError("the TLS connection to \(who) failed\(words)") }
            if let lastNote, !lastNote.contains("verif"), !lastNote.contains("certificate") {
                return PlaybackError(
                    "cannot use TLS with \(who)\(words): check that it uses TLS on this port and accepts the "
                        + "certificate (--mqtt-cert, --mqtt-key)")
            }
            return PlaybackError(
                "cannot verify \(who)\(words): name its CA with --mqtt-ca FILE, and use the host name "
                    + "of its certificate in the address")
        case MosquittoCode.lookup:
            return PlaybackError("cannot resolve host '\(broker.host)'; check the address")
        case MosquittoCode.system:
            return PlaybackError(
                isAtStart ? "cannot connect to \(who): \(system)" : "the connection to \(who) failed: \(system)")
        case MosquittoCode.keepalive: return PlaybackError("\(who) does not respond any more")
        case MosquittoCode.lost, MosquittoCode.notConnected:
            if !isAtStart { return PlaybackError("\(who) closed the connection") }
            let remedy =
                broker.tls == nil
                ? "try TLS (mqtts://)"
                : "check that it uses TLS on this port and accepts the certificate (--mqtt-cert, --mqtt-key)"
            return PlaybackError("\(who) closed the connection without an answer: \(remedy)")
        default: return PlaybackError("\(who): \(library.text(of: code))")
        }
    }

    private static func refusal(_ answer: Int32, _ user: String?) -> String {
        switch answer {
        case 4, 5:
            guard let user else {
                return "requires a user and a password: use mqtt://USER@HOST/... and --mqtt-password-file FILE"
            }
            return
                "rejects the user '\(user)': check the password (--mqtt-password-file FILE) and the user's permissions"
        case 3: return "is not ready yet"
        default: return "rejects the connection (code \(answer))"
        }
    }

    // MARK: Callbacks

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> MQTTConnection? {
        pointer.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
    }
}
