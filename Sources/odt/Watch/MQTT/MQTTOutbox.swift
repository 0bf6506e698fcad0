/// What waits for the broker: events in their order, of what is retained the latest of each topic, and of results, which may be lost, the
/// latest of each topic as well.
struct MQTTOutbox {
    /// Events that wait take no more than this.
    let maximumBytes: Int
    /// Handed over, but not acknowledged: what was first is first.
    private var inFlight: [(number: Int32, message: MQTTMessage)] = []
    private var waiting: [MQTTMessage] = []
    /// What of `waiting` is still there begins here.
    private var start = 0
    private var bytes = 0
    /// Events that were left out because too many waited.
    private(set) var lostCount = 0

    private var retained: [String: MQTTMessage] = [:]
    private var retainedOrder: [String] = []
    private var unsent: [String] = []
    private var retainedInFlight: Set<Int32> = []
    private var results: [String: MQTTMessage] = [:]

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// Whether all but results has arrived.
    var isEmpty: Bool { eventCount == 0 && unsent.isEmpty && retainedInFlight.isEmpty }
    var eventCount: Int { inFlight.count + waiting.count - start }

    /// - Returns: whether an older event, the oldest that is not under way, had to give way.
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

    /// Replaces what is retained under a topic.
    mutating func add(retained message: MQTTMessage) {
        if let before = retained.updateValue(message, forKey: message.topic) {
            guard before.payload != message.payload else { return }
        } else {
            retainedOrder.append(message.topic)
        }
        if !unsent.contains(message.topic) { unsent.append(message.topic) }
    }

    mutating func add(result: MQTTMessage) { results[result.topic] = result }

    /// A connection is there: what was under way with the one before it is sent again, and so is all that is retained, which
    /// a broker may have forgotten.
    mutating func begin() {
        waiting.replaceSubrange(..<start, with: inFlight.map(\.message))
        bytes += inFlight.reduce(0) { $0 + $1.message.size }
        start = 0
        inFlight = []
        retainedInFlight = []
        unsent = retainedOrder
        results = [:]
    }

    /// Hands over what may go on its way now.
    ///
    /// - Parameter publish: returns what will be acknowledged; `nil` for what cannot be published at all.
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
        // Moving what is left costs no more, all in all, than having put it there.
        if start * 2 > waiting.count + 64 {
            waiting.removeFirst(start)
            start = 0
        }
    }
}
