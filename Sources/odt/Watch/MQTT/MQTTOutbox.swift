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
    /// The message ids of retained messages that were sent but not yet acknowledged.
    private var retainedInFlight: Set<Int32> = []
    /// The latest unsent result of each topic.
    private var results: [String: MQTTMessage] = [:]

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

    mutating func add(result: MQTTMessage) { results[result.topic] = result }

    /// Prepares the queue for a new connection. The events that were in flight and all retained messages are sent
    /// again, because the broker may have lost them. Unsent results are discarded.
    mutating func begin() {
        waiting.replaceSubrange(..<start, with: inFlight.map(\.message))
        bytes += inFlight.reduce(0) { $0 + $1.message.size }
        start = 0
        inFlight = []
        retainedInFlight = []
        unsent = retainedOrder
        results = [:]
    }

    /// Sends as many messages as the limit on messages in flight allows. Retained messages come first, then events,
    /// then results.
    ///
    /// - Parameters:
    ///   - isBusy: Whether the connection has unwritten data. In that case no results are sent.
    ///   - publish: Sends a message and returns its id; `nil` for a message that cannot be published.
    mutating func send(
        isBusy: Bool, by publish: (MQTTMessage, MQTTConnection.Quality, _ isRetained: Bool) throws -> Int32?
    ) rethrows {
        while hasRoom, let topic = unsent.first, let message = retained[topic] {
            let number = try publish(message, .atLeastOnce, true)
            unsent.removeFirst()
            if let number { retainedInFlight.insert(number) }
        }
        while hasRoom, start < waiting.count {
            let message = waiting[start]
            let number = try publish(message, .atLeastOnce, false)
            dropFirst()
            if let number { inFlight.append((number, message)) } else { lostCount += 1 }
        }
        guard !isBusy, hasRoom else { return }
        for message in results.values { _ = try publish(message, .atMostOnce, false) }
        results.removeAll(keepingCapacity: true)
    }

    mutating func acknowledge(_ numbers: [Int32]) {
        for number in numbers where retainedInFlight.remove(number) == nil {
            if let place = inFlight.firstIndex(where: { $0.number == number }) { inFlight.remove(at: place) }
        }
    }

    private var hasRoom: Bool { inFlight.count + retainedInFlight.count < MQTTConnection.maximumInFlight }

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
