import SwiftODT

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
