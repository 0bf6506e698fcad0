import Glibc
import Playback
import SwiftODT

/// One connection to a broker, from the first word to its loss. It belongs to one thread, which is also called back.
final class MQTTConnection {
    enum Quality: Int32 {
        /// May be lost on the way.
        case atMostOnce = 0
        /// Is acknowledged, or sent again.
        case atLeastOnce = 1
    }

    /// Messages that wait for being acknowledged; more of them fill the way, and nobody knows what arrived.
    static let maximumInFlight = 20
    /// Seconds of silence after which the broker is asked whether it is still there.
    private static let keepalive: Int32 = 15

    private let library: MosquittoLibrary
    private let broker: Broker
    private let client: MosquittoLibrary.Client
    /// What the library noted last as an error: OpenSSL's own words, which it returns to nobody.
    private var lastNote: String?
    private var answer: Int32?
    private(set) var acknowledged: [Int32] = []

    /// Connects, which takes as long as the network does.
    ///
    /// - Throws: ``PlaybackError`` that says what to do about it.
    init(_ library: MosquittoLibrary, to broker: Broker) throws {
        (self.library, self.broker) = (library, broker)
        guard let client = library.make(nil, true, nil) else { throw PlaybackError("--mqtt: no memory is left") }
        self.client = client
        library.setOwner(client, Unmanaged.passUnretained(self).toOpaque())
        try begin()
    }

    deinit {
        library.setOwner(client, nil)
        library.destroy(client)
    }

    /// Whether the broker has taken the connection.
    var isOpen: Bool { answer == 0 }

    /// Whether what was handed over last is still on its way out.
    var isBusy: Bool { library.wantsToWrite(client) }

    /// Waits for the broker or for the bell, and does what is due.
    ///
    /// - Throws: ``PlaybackError`` where the connection is gone.
    func process(_ wakeup: WakeupPipe, milliseconds: Int32) throws {
        acknowledged.removeAll(keepingCapacity: true)
        wakeup.wait(
            milliseconds: milliseconds, orFor: library.socket(client), toWrite: library.wantsToWrite(client))
        let code = library.loop(client, 0, 1)
        guard code == MosquittoCode.success else { throw problem(code, isAtStart: answer == nil) }
    }

    /// - Returns: the number that will be acknowledged; `nil` for a message that no broker takes.
    /// - Throws: ``PlaybackError`` for every other error: the connection is of no use any more, and the message has to be sent again.
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

    /// Says good-bye, after which the broker does not tell of a death.
    func leave() {
        _ = library.disconnect(client)
        var rounds = 0
        while library.wantsToWrite(client), rounds < 50, library.loop(client, 10, 1) == MosquittoCode.success {
            rounds += 1
        }
    }

    private func begin() throws {
        library.onConnect(client) { _, connection, code in MQTTConnection.of(connection)?.answer = code }
        library.onPublish(client) { _, connection, number in
            MQTTConnection.of(connection)?.acknowledged.append(number)
        }
        library.onLog(client) { _, connection, level, text in
            guard level == MosquittoCode.errorLine, let text else { return }
            MQTTConnection.of(connection)?.lastNote = String(cString: text)
        }
        var code = broker.will.payload.withUnsafeBytes {
            library.setWill(
                client, broker.will.topic, Int32($0.count), $0.baseAddress, Quality.atLeastOnce.rawValue, true)
        }
        if code == MosquittoCode.success, let user = broker.address.user {
            code = library.setUser(client, user, broker.address.password)
        }
        if code == MosquittoCode.success, let tls = broker.tls { code = set(tls) }
        guard code == MosquittoCode.success else { throw problem(code, isAtStart: true) }
        let (host, port) = (broker.address.host, Int32(broker.address.port))
        code = library.connect(client, host, port, Self.keepalive)
        guard code == MosquittoCode.success else { throw problem(code, isAtStart: true) }
    }

    private func set(_ tls: Broker.TLS) -> Int32 {
        if let authority = tls.authority {
            return library.setTLS(client, authority, nil, tls.certificate, tls.key, nil)
        }
        let code = library.setOption(client, MosquittoCode.systemCertificates, 1)
        guard code == MosquittoCode.success, tls.certificate != nil else { return code }
        return library.setTLS(client, nil, "/etc/ssl/certs", tls.certificate, tls.key, nil)
    }

    // MARK: Why it is gone

    /// - Parameter isAtStart: whether the broker had not answered yet.
    private func problem(_ code: Int32, isAtStart: Bool = false) -> PlaybackError {
        let system = String(cString: strerror(errno))
        let who = "the broker at \(broker.address.name)"
        if let answer, answer != 0 { return PlaybackError("\(who) \(Self.refusal(answer, broker.address.user))") }
        switch code {
        case MosquittoCode.tls:
            let words = lastNote.map { " (\($0))" } ?? ""
            if !isAtStart { return PlaybackError("the TLS connection to \(who) failed\(words)") }
            return PlaybackError(
                "\(who) cannot be trusted\(words): --mqtt-ca FILE names the authority that signed for it, and the address "
                    + "has to have the name that its certificate has")
        case MosquittoCode.lookup:
            return PlaybackError("nobody knows the host \(broker.address.host): is the address right?")
        case MosquittoCode.system:
            return PlaybackError(
                isAtStart ? "\(who) is not there: \(system)" : "the connection to \(who) failed: \(system)")
        case MosquittoCode.keepalive: return PlaybackError("\(who) does not answer any more")
        case MosquittoCode.lost, MosquittoCode.notConnected:
            if !isAtStart { return PlaybackError("\(who) has closed the connection") }
            let remedy =
                broker.tls == nil
                ? "does it want TLS (mqtts://)?"
                : "does it speak TLS at this port, and know this certificate (--mqtt-cert, --mqtt-key)?"
            return PlaybackError("\(who) closes the connection without an answer: \(remedy)")
        default: return PlaybackError("\(who): \(library.text(of: code))")
        }
    }

    private static func refusal(_ answer: Int32, _ user: String?) -> String {
        switch answer {
        case 4, 5:
            guard let user else {
                return "wants a user and a password: mqtt://USER@HOST/..., --mqtt-password-file FILE"
            }
            return
                "refuses the user '\(user)': is the password right (--mqtt-password-file FILE), and may this user connect?"
        case 3: return "is not ready yet"
        default: return "refuses the connection (answer \(answer))"
        }
    }

    // MARK: What the library calls back

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> MQTTConnection? {
        pointer.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
    }
}
