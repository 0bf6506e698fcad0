import SwiftODT

/// A track from its first message to its last.
struct ObservedTrack {
    /// Identifies a track. Ids are unique only within one recording of one source.
    struct Key: Hashable {
        let source: Int
        let recording: Int
        let id: Int
    }

    /// The best detection of a track.
    struct Best {
        let score: Double
        /// Seconds on the report's time axis.
        let time: Double
        /// The stream time in seconds, by which the frame is found.
        let streamTime: Double
        /// In normalized coordinates (0 to 1) of the upright frame.
        let box: Box
    }

    let key: Key
    /// An index into the list of labels.
    var label: Int
    var category = -1
    var first: Double
    var last: Double
    var best: Best?
    var pathLength: Double?
    /// The reason of the track's end; empty if unknown.
    var reason = ""
    /// Whether the element reported the best detection at the track's end, which is final.
    private var isReported = false

    init(_ key: Key, label: Int, at time: Double) {
        (self.key, self.label, first, last) = (key, label, time, time)
    }

    var duration: Double { last - first }

    mutating func seen(from start: Double, to end: Double) {
        first = min(first, start)
        last = max(last, end)
    }

    /// Replaces the best detection if the candidate has a higher score, or a larger box at the same score.
    ///
    /// - Parameter isFinal: Whether the element reported it at the track's end.
    mutating func offer(_ candidate: Best, isFinal: Bool = false) {
        guard !isReported else { return }
        isReported = isFinal
        guard let best, !isFinal else { return best = candidate }
        let isBetter = (candidate.score, candidate.box.area) > (best.score, best.box.area)
        if isBetter { self.best = candidate }
    }
}

/// The events and counts of a zone or line.
struct ObservedZone {
    struct Event {
        enum Kind: String, CaseIterable {
            case enter, leave, dwell, `in`, out
        }

        let time: Double
        let kind: Kind
        let id: Int
        /// An index into the list of labels.
        let label: Int
        let dwell: Double?
    }

    /// The counts of one label.
    struct Tally {
        var entered = 0
        var left = 0
        var `in` = 0
        var out = 0
        /// The total and the maximum dwell time in seconds of the objects that left.
        var stayed = 0.0
        var longest = 0.0

        mutating func add(_ event: Event) {
            switch event.kind {
            case .enter: entered += 1
            case .leave:
                left += 1
                stayed += event.dwell ?? 0
                longest = max(longest, event.dwell ?? 0)
            case .dwell: break
            case .in: self.in += 1
            case .out: out += 1
            }
        }
    }

    let name: String
    var isLine: Bool
    private(set) var byLabel: [Int: Tally] = [:]
    private(set) var events: [Event] = []
    private(set) var eventCount = 0

    init(_ name: String, isLine: Bool) { (self.name, self.isLine) = (name, isLine) }

    /// - Parameter isMarked: Whether the event is shown individually, in addition to being counted.
    mutating func add(_ event: Event, isMarked: Bool) {
        if eventCount == 0 { byLabel = [:] }
        byLabel[event.label, default: Tally()].add(event)
        eventCount += 1
        if isMarked { events.append(event) }
    }

    /// Uses the counts of a result if there are no zone events.
    mutating func count(_ tallies: [Int: Tally]) {
        if eventCount == 0 { byLabel = tallies }
    }
}
