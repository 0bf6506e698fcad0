import ODTPlayback
import Testing

@testable import odt

@Suite("MQTTConnection and MQTTOutbox")
struct MQTTConnectionTests {
    /// The results of mosquitto_publish for a message that the broker cannot accept.
    private static let undeliverable: Set<Int32> = [3, 9, 18, 24, 25, 28]

    /// A library that is always connected, and whose `mosquitto_publish` returns the number at the end of the topic.
    private static func library() throws -> MosquittoLibrary {
        var library = try MosquittoLibrary()
        library.connect = { _, _, _, _ in 0 }
        library.publish = { _, number, topic, _, _, _, _ in
            number?.pointee = 1
            return Int32(String(cString: topic).split(separator: "/").last ?? "") ?? 0
        }
        return library
    }

    private static let hasLibrary = (try? MosquittoLibrary()) != nil

    @Test(
        .enabled(if: hasLibrary, "no libmosquitto on this machine"), arguments: Array(Int32(-4)...40) + [127, 128, 255])
    func connectionErrorKeepsAllEvents(code: Int32) throws {
        let broker = try BrokerAddress("mqtt://localhost/house", of: "--mqtt")
        let connection = try MQTTConnection(Self.library(), to: broker)
        var outbox = MQTTOutbox(maximumBytes: 1 << 20)
        for number in 0..<30 { _ = outbox.add(event: MQTTMessage("house/\(code)", "\(number)")) }
        var isConnected = true
        do {
            try outbox.send(isBusy: false) { try connection.publish($0, $1, isRetained: $2) }
        } catch { isConnected = false }

        if Self.undeliverable.contains(code) {
            #expect(isConnected)
            #expect((outbox.eventCount, outbox.lostCount) == (0, 30))
        } else {
            #expect(isConnected == (code == 0))
            #expect((outbox.eventCount, outbox.lostCount) == (30, 0))
            // The next connection gets all of them in order.
            outbox.begin()
            var arrived: [String] = []
            while arrived.count < 30 {
                let before = arrived.count
                outbox.send(isBusy: false) { message, _, _ in
                    arrived.append(String(decoding: message.payload, as: UTF8.self))
                    return Int32(arrived.count)
                }
                outbox.acknowledge((before..<arrived.count).map { Int32($0 + 1) })
                guard arrived.count > before else { break }
            }
            #expect(arrived == (0..<30).map { "\($0)" })
            #expect(outbox.isEmpty)
        }
    }
    /// The broker closes the connection when it receives a large message.
    @Test func retainedMessageThatClosesConnectionTwiceIsDropped() {
        var outbox = MQTTOutbox(maximumBytes: 1 << 20)
        outbox.add(retained: MQTTMessage("snapshot", bytes: [UInt8](repeating: 1, count: 100_000)))
        outbox.add(retained: MQTTMessage("state", "online"))
        for number in 0..<30 { _ = outbox.add(event: MQTTMessage("zone", "\(number)")) }
        var (arrived, dropped): ([String], [[String]]) = ([], [])
        func connect() {
            dropped.append(outbox.begin().map(\.topic))
            var (number, isOpen): (Int32, Bool) = (0, true)
            while isOpen, !outbox.isEmpty {
                var acknowledged: [Int32] = []
                outbox.send(isBusy: false) { message, _, _ in
                    number += 1
                    if message.payload.count > 10_000 { isOpen = false }
                    guard isOpen else { return number }
                    arrived.append(message.topic)
                    acknowledged.append(number)
                    return number
                }
                outbox.acknowledge(acknowledged)
                if acknowledged.isEmpty { break }
            }
        }
        connect()
        // All events precede the large message.
        #expect(arrived == ["state"] + [String](repeating: "zone", count: 30))
        connect()
        connect()
        #expect(dropped == [[], [], ["snapshot"]])
        #expect(arrived.suffix(2) == ["state", "state"])
        #expect(outbox.isEmpty)
        outbox.add(retained: MQTTMessage("snapshot", "small"))
        connect()
        #expect(dropped.last == [] && arrived.last == "snapshot")
    }

    @Test func acknowledgedMessageIsKeptAfterFurtherClosings() {
        var outbox = MQTTOutbox(maximumBytes: 1 << 20)
        outbox.add(retained: MQTTMessage("state", "online"))
        for _ in 0..<4 {
            #expect(outbox.begin().isEmpty)
            outbox.send(isBusy: false) { _, _, _ in 1 }
            #expect(outbox.begin().isEmpty)
            outbox.send(isBusy: false) { _, _, _ in 1 }
            outbox.acknowledge([1])
        }
    }
}
