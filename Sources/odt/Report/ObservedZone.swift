import SwiftODT

/// What happened in a zone or at a line.
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

    /// What of it is counted by label.
    struct Tally {
        var entered = 0
        var left = 0
        var `in` = 0
        var out = 0
        /// Of those that left, all stays together and the longest.
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

    /// - Parameter isMarked: whether it is shown by itself, besides being counted.
    mutating func add(_ event: Event, isMarked: Bool) {
        if eventCount == 0 { byLabel = [:] }
        byLabel[event.label, default: Tally()].add(event)
        eventCount += 1
        if isMarked { events.append(event) }
    }

    /// Takes what a result counts, where nothing is told of each event.
    mutating func count(_ tallies: [Int: Tally]) {
        if eventCount == 0 { byLabel = tallies }
    }
}
