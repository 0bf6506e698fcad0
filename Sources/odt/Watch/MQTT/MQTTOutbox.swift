/// The queue of messages to the broker. Events are kept in order. Of retained messages and of results, which may be
/// lost, only the latest of each topic is kept.
struct MQTTOutbox {
    /// The maximum size of waiting events in bytes.
    let maximumBytes: Int
    /// Events that were sent but not acknowledged, in the order of sending.
    private var inFlight: [(number: Int32, message: MQTTMessage)] = []
    private var waiting: [MQTTMessage] = []
    /// The index of the first waiting event; earlier entries were removed.
    private var start = 0
    private var bytes = 0
    /// The number of events that were dropped.
    private(set) var lostCount = 0

    private var retained: [String: MQTTMessage] = [:]
    private var retainedOrder: [String] = []
    private var unsent: [String] = []
    private var retainedInFlight: Set<Int32> = []
    private var results: [String: MQTTMessage] = [:]

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Whether all events and retained messages were acknowledged.
    var isEmpty: Bool { eventCount == 0 && unsent.isEmpty && retainedInFlight.isEmpty }
    var eventCount: Int { inFlight.count + waiting.count - start }

    /// - Returns: Whether older events were dropped to stay within the limit. Events in flight are never dropped.
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

    /// Replaces the retained message of a topic.
    mutating func add(retained message: MQTTMessage) {
        if let before = retained.updateValue(message, forKey: message.topic) {
            guard before.payload != message.payload else { return }
        } else {
            retainedOrder.append(message.topic)
        }
        if !unsent.contains(message.topic) { unsent.append(message.topic) }
    }

    mutating func add(result: MQTTMessage) { results[result.topic] = result }

    /// Prepares for a new connection: events that were in flight and all retained messages are sent again, because
    /// the broker may have lost them.
    mutating func begin() {
        waiting.replaceSubrange(..<start, with: inFlight.map(\.message))
        bytes += inFlight.reduce(0) { $0 + $1.message.size }
        start = 0
        inFlight = []
        retainedInFlight = []
        unsent = retainedOrder
        results = [:]
    }

    /// Sends messages as far as the number in flight allows.
    ///
    /// - Parameter publish: Returns the message id; `nil` for a message that cannot be published.
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
        // Removing only after half of the entries are used makes the cost amortized constant.
        if start * 2 > waiting.count + 64 {
            waiting.removeFirst(start)
            start = 0
        }
    }
}

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
