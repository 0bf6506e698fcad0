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
        var (arrived, dropped): ([String], [String?]) = ([], [])
        func connect() {
            dropped.append(outbox.begin()?.topic)
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
        #expect(dropped == [nil, nil, "snapshot"])
        #expect(arrived.suffix(2) == ["state", "state"])
        #expect(outbox.isEmpty)
        outbox.add(retained: MQTTMessage("snapshot", "small"))
        connect()
        #expect(dropped.last == .some(nil) && arrived.last == "snapshot")
    }

    /// The broker may have replaced the state by the will of an earlier process.
    @Test func resentMessageIsThatOfItsTopic() {
        var outbox = MQTTOutbox(maximumBytes: 1 << 20)
        for topic in ["house/state", "house/yard/state"] { outbox.add(retained: MQTTMessage(topic, "online")) }
        #expect(send(&outbox) == ["house/state 6", "house/yard/state 6"])
        outbox.acknowledge([1, 2])
        for _ in 0..<2 { outbox.resend("house/state") }
        outbox.resend("house/gate/state")
        #expect(send(&outbox) == ["house/state 6"])
    }

    @Test func acknowledgedMessageIsKeptAfterFurtherClosings() {
        var outbox = MQTTOutbox(maximumBytes: 1 << 20)
        outbox.add(retained: MQTTMessage("snapshot", String(repeating: "x", count: 10_000)))
        for _ in 0..<4 {
            #expect(outbox.begin() == nil)
            outbox.send(isBusy: false) { _, _, _ in 1 }
            #expect(outbox.begin() == nil)
            outbox.send(isBusy: false) { _, _, _ in 1 }
            outbox.acknowledge([1])
        }
    }

    /// Sends what the outbox permits, and returns the topics and the sizes of the payloads.
    private func send(_ outbox: inout MQTTOutbox) -> [String] {
        var sent: [String] = []
        outbox.send(isBusy: false) { message, _, _ in
            sent.append("\(message.topic) \(message.payload.count)")
            return Int32(sent.count)
        }
        return sent
    }

    /// An empty payload removes a picture from the broker.
    @Test(arguments: [100, 100_000]) func removalOfPictureIsKeptAfterClosings(size: Int) {
        var outbox = MQTTOutbox(maximumBytes: 1 << 20)
        outbox.add(retained: MQTTMessage("snapshot", bytes: [UInt8](repeating: 1, count: size)))
        #expect(send(&outbox) == ["snapshot \(size)"])
        outbox.add(retained: MQTTMessage("snapshot", ""))
        for _ in 0..<4 {
            _ = send(&outbox)
            #expect(outbox.begin() == nil)
        }
        #expect(send(&outbox) == ["snapshot 0"])
        outbox.acknowledge([1])
        #expect(outbox.isEmpty)
    }

    @Test func smallMessagesAreKeptAfterClosingsAndTriedInTurn() {
        var outbox = MQTTOutbox(maximumBytes: 1 << 20)
        for topic in ["a", "b", "c"] { outbox.add(retained: MQTTMessage(topic, "online")) }
        #expect(send(&outbox) == ["a 6", "b 6", "c 6"])
        for topic in ["a", "b", "c", "a"] {
            #expect(outbox.begin() == nil)
            #expect(send(&outbox) == ["\(topic) 6"])
        }
    }

    @Test func largeMessageIsDroppedOnlyIfItWasAloneInFlightTwice() {
        var outbox = MQTTOutbox(maximumBytes: 1 << 20)
        outbox.add(retained: MQTTMessage("snapshot", bytes: [UInt8](repeating: 1, count: 10_000)))
        for _ in 0..<4 {
            _ = outbox.add(event: MQTTMessage("zone", "1"))
            #expect(send(&outbox).last == "snapshot 10000")
            #expect(outbox.begin() == nil)
        }
        for isDropped in [false, true] {
            let sent = send(&outbox)
            outbox.acknowledge((1..<Int32(sent.count)).map { $0 })
            // Events wait until the large message is acknowledged.
            _ = outbox.add(event: MQTTMessage("zone", "2"))
            #expect(send(&outbox) == [])
            #expect((outbox.begin()?.topic == "snapshot") == isDropped)
        }
        outbox.add(retained: MQTTMessage("snapshot", "small"))
        #expect(send(&outbox).first == "snapshot 5")
    }
}
