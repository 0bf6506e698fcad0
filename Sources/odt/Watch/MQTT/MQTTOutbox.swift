/// The queue of messages to the broker. Events are kept in order. A retained message or a result (the objects in a
/// frame) replaces an older message of the same topic. Results are sent with QoS 0 and may be lost.
struct MQTTOutbox {
    /// The maximum size of waiting events in bytes.
    let maximumBytes: Int
    /// Events that were sent but not yet acknowledged, in the order of sending. `number` is the message id.
    private var inFlight: [(number: Int32, message: MQTTMessage)] = []
    /// Events that were not sent yet, from index `start` on. The entries before `start` are obsolete.
    private var waiting: [MQTTMessage] = []
    private var start = 0
    /// The size of the waiting events in bytes.
    private var bytes = 0
    /// The number of events that were dropped because of the size limit or could not be published.
    private(set) var lostCount = 0

    private var retained: [String: MQTTMessage] = [:]
    /// The topics of `retained`, in the order in which they were first used.
    private var retainedOrder: [String] = []
    /// The topics whose retained message has not been sent on this connection.
    private var unsent: [String] = []
    /// The retained messages that were sent but not yet acknowledged, by message id.
    private var retainedInFlight: [Int32: MQTTMessage] = [:]
    /// The topics whose retained message was unacknowledged when the connection was closed, and how often in a row it
    /// was large and the only message in flight.
    private var closings: [String: Int] = [:]
    /// The latest unsent result of each topic.
    private var results: [String: MQTTMessage] = [:]

    /// The payload size in bytes above which a retained message is sent after the waiting events. A broker may close the
    /// connection when it receives a large message.
    private static let largeSize = 8_192
    /// The number of closings after which a large retained message is dropped.
    private static let maximumClosings = 2

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    var isEmpty: Bool { eventCount == 0 && unsent.isEmpty && retainedInFlight.isEmpty }
    var eventCount: Int { inFlight.count + waiting.count - start }

    /// - Returns: Whether older events were dropped because of the size limit. Events in flight are never dropped.
    mutating func add(event: MQTTMessage) -> Bool {
        waiting.append(event)
        bytes += event.size
        var hasLost = false
        while bytes > maximumBytes, waiting.count - start > 1 {
            dropFirst()
            lostCount += 1
            hasLost = true
        }
        return hasLost
    }

    /// Replaces the retained message of a topic. A message that equals the previous one is not sent again.
    mutating func add(retained message: MQTTMessage) {
        if let before = retained.updateValue(message, forKey: message.topic) {
            guard before.payload != message.payload else { return }
        } else {
            retainedOrder.append(message.topic)
        }
        if !unsent.contains(message.topic) { unsent.append(message.topic) }
    }

    /// Sends the retained message of a topic again, although it has not changed.
    mutating func resend(_ topic: String) {
        if retained[topic] != nil, !unsent.contains(topic) { unsent.append(topic) }
    }

    mutating func add(result: MQTTMessage) { results[result.topic] = result }

    /// Prepares the queue for a new connection. The events that were in flight and all retained messages are sent
    /// again, because the broker may have lost them. Unsent results are discarded.
    ///
    /// - Returns: The large retained message that is dropped, because the broker probably refuses it by closing the
    ///   connection. Small messages are never dropped: they are states, or remove pictures from the broker.
    @discardableResult
    mutating func begin() -> MQTTMessage? {
        let isAlone = inFlight.count + retainedInFlight.count == 1
        let failed = Set(retainedInFlight.values.map(\.topic))
        var refused: MQTTMessage?
        waiting.replaceSubrange(..<start, with: inFlight.map(\.message))
        bytes += inFlight.reduce(0) { $0 + $1.message.size }
        start = 0
        inFlight = []
        for message in retainedInFlight.values {
            let isSuspect = isAlone && message.payload.count > Self.largeSize
            let count = closings[message.topic, default: 0] + (isSuspect ? 1 : 0)
            closings[message.topic] = count
            // A newer message of the topic may be acceptable.
            guard count >= Self.maximumClosings, retained[message.topic]?.payload == message.payload else { continue }
            (retained[message.topic], closings[message.topic]) = (nil, nil)
            refused = message
        }
        retainedInFlight = [:]
        // A small message that the broker refuses does not block those of other topics.
        retainedOrder = retainedOrder.filter { !failed.contains($0) } + retainedOrder.filter(failed.contains)
        retainedOrder.removeAll { retained[$0] == nil }
        unsent = retainedOrder
        results = [:]
        return refused
    }

    /// Sends as many messages as the limit on messages in flight allows. Retained messages come first, then events, then
    /// retained messages that the broker may refuse, then results.
    ///
    /// - Parameters:
    ///   - isBusy: Whether the connection has unwritten data. In that case no results are sent.
    ///   - publish: Sends a message and returns its id; `nil` for a message that cannot be published.
    mutating func send(
        isBusy: Bool, by publish: (MQTTMessage, MQTTConnection.Quality, _ isRetained: Bool) throws -> Int32?
    ) rethrows {
        while hasRoom, let place = unsent.firstIndex(where: { !(retained[$0].map(isDeferred) ?? false) }) {
            try sendRetained(place, by: publish)
        }
        while hasRoom, start < waiting.count {
            let message = waiting[start]
            let number = try publish(message, .atLeastOnce, false)
            dropFirst()
            if let number { inFlight.append((number, message)) } else { lostCount += 1 }
        }
        if hasRoom, start == waiting.count, !unsent.isEmpty { try sendRetained(0, by: publish) }
        guard !isBusy, hasRoom else { return }
        for message in results.values { _ = try publish(message, .atMostOnce, false) }
        results.removeAll(keepingCapacity: true)
    }

    private mutating func sendRetained(
        _ place: Int, by publish: (MQTTMessage, MQTTConnection.Quality, _ isRetained: Bool) throws -> Int32?
    ) rethrows {
        // If `publish` throws, ``begin()`` adds the topic again.
        guard let message = retained[unsent.remove(at: place)] else { return }
        if let number = try publish(message, .atLeastOnce, true) { retainedInFlight[number] = message }
    }

    /// Whether the broker may refuse a retained message by closing the connection.
    private func isDeferred(_ message: MQTTMessage) -> Bool {
        closings[message.topic] != nil || message.payload.count > Self.largeSize
    }

    mutating func acknowledge(_ numbers: [Int32]) {
        for number in numbers {
            if let message = retainedInFlight.removeValue(forKey: number) {
                closings[message.topic] = nil
            } else if let place = inFlight.firstIndex(where: { $0.number == number }) {
                inFlight.remove(at: place)
            }
        }
    }

    /// Nothing is sent after a deferred message until it is acknowledged, so that only the message that the broker
    /// refuses is dropped.
    private var hasRoom: Bool {
        inFlight.count + retainedInFlight.count < MQTTConnection.maximumInFlight
            && !retainedInFlight.values.contains(where: isDeferred)
    }

    private mutating func dropFirst() {
        bytes -= waiting[start].size
        start += 1
        // Obsolete entries are removed when they are about half of the array, so that the amortized cost is constant.
        if start * 2 > waiting.count + 64 {
            waiting.removeFirst(start)
            start = 0
        }
    }
}

struct MQTTMessage: Sendable {
    let topic: String
    let payload: [UInt8]

    init(_ topic: String, _ payload: some StringProtocol) {
        (self.topic, self.payload) = (topic, Array(payload.utf8))
    }

    init(_ topic: String, bytes payload: [UInt8]) { (self.topic, self.payload) = (topic, payload) }

    /// The approximate memory use of the message in bytes.
    var size: Int { topic.utf8.count + payload.count + 96 }
}
