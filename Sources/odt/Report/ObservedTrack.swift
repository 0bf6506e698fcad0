import SwiftODT

struct ObservedTrack {
    /// Identifies a track. A file can contain several recordings of a source, and track ids are unique only within one
    /// recording. `source` and `recording` are indices.
    struct Key: Hashable {
        let source: Int
        let recording: Int
        let id: Int
    }

    struct Best {
        let score: Double
        /// The time of the detection on the report's time axis, in seconds.
        let time: Double
        /// The stream time of the detection in seconds. The frame in the video is found by this time.
        let streamTime: Double
        /// The box in normalized coordinates (0 to 1) of the upright frame.
        let box: Box
    }

    let key: Key
    /// The index of the track's label in ``Observations/labels``.
    var label: Int
    var category = -1
    /// Empty without a custom classifier.
    var classifierLabel = ""
    /// The times of the visits, in their order. Only an object that has returned has several.
    private(set) var visits: [(first: Double, last: Double)]
    var best: Best?
    var pathLength: Double?
    /// The reason why the track ended; empty if the reason is unknown.
    var reason = ""
    /// Whether the element has reported the best detection in the track's `end` event. This detection is final.
    private var isReported = false
    /// The longest path of the earlier visits of an object that has returned; `nil` if it has not returned.
    private var earlierPath: Double?

    init(_ key: Key, label: Int, at time: Double) {
        (self.key, self.label, visits) = (key, label, [(time, time)])
    }

    var first: Double { visits[0].first }
    var last: Double { visits[visits.count - 1].last }

    /// The sum of the durations of all visits.
    var duration: Double { visits.reduce(0) { $0 + $1.last - $1.first } }

    /// - Parameter start: The time of the visit's first detection.
    mutating func seen(from start: Double, to end: Double) {
        if start > last, end >= start { return visits.append((start, end)) }
        let visit = visits.removeLast()
        visits.append((min(visit.first, start), max(visit.last, end)))
    }

    /// Continues the track with another visit (re-identification).
    mutating func beginVisit() { (earlierPath, isReported) = (pathLength ?? 0, false) }

    /// Applies the first and last time of an `end` event. After a re-entry, both belong to the latest visit.
    mutating func end(from start: Double, to end: Double) {
        if earlierPath == nil { visits = [(start, end)] } else { seen(from: start, to: end) }
    }

    /// - Parameter length: The path length of the latest visit.
    mutating func setPathLength(_ length: Double) { pathLength = max(length, earlierPath ?? 0) }

    /// Replaces the best detection if the candidate is final, has a higher score, or has the same score and a larger
    /// box.
    ///
    /// - Parameter isFinal: Whether the element reported the candidate in the track's `end` event.
    mutating func offer(_ candidate: Best, isFinal: Bool = false) {
        guard !isReported else { return }
        isReported = isFinal
        guard let best, !isFinal || earlierPath != nil else { return best = candidate }
        let isBetter = (candidate.score, candidate.box.area) > (best.score, best.box.area)
        if isBetter { self.best = candidate }
    }
}

struct ObservedZone {
    struct Event {
        enum Kind: String, CaseIterable {
            case enter, leave, dwell, `in`, out
        }

        let time: Double
        let kind: Kind
        /// The index of the recording, as in ``ObservedTrack/Key``.
        let recording: Int
        let id: Int
        /// The index of the object's label in ``Observations/labels``.
        let label: Int
        let dwell: Double?
    }

    struct Tally: Equatable {
        var entered = 0
        var left = 0
        var `in` = 0
        var out = 0
        /// The sum of the dwell times of the objects that left (`stayed`) and the longest of these dwell times
        /// (`longest`), in seconds.
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
    /// The index of the source, as in ``ObservedTrack/Key``.
    let source: Int
    let isLine: Bool
    private(set) var byLabel: [Int: Tally] = [:]
    private(set) var events: [Event] = []
    private(set) var eventCount = 0
    /// The label with which each object in the area entered.
    private var entryLabels: [ObservedTrack.Key: Int] = [:]

    init(_ name: String, of source: Int, isLine: Bool) {
        (self.name, self.source, self.isLine) = (name, source, isLine)
    }

    /// - Parameter isMarked: Whether the event is kept, so that it can be shown individually. All events are counted.
    mutating func add(_ event: Event, isMarked: Bool) {
        if eventCount == 0 { byLabel = [:] }
        byLabel[event.label, default: Tally()].add(event)
        moveEntry(of: event)
        eventCount += 1
        if isMarked { events.append(event) }
    }

    /// If the label has become known during the stay, counts the entry for this label, as the element does.
    private mutating func moveEntry(of event: Event) {
        let track = ObservedTrack.Key(source: source, recording: event.recording, id: event.id)
        if event.kind == .enter { entryLabels[track] = event.label }
        guard event.kind == .leave, let label = entryLabels.removeValue(forKey: track) else { return }
        byLabel[label]?.entered -= 1
        byLabel[event.label]?.entered += 1
        if byLabel[label] == Tally() { byLabel[label] = nil }
    }

    /// Replaces the counts by those of a result message. Does nothing once a zone event has been counted, because the
    /// counts of a result would count the same objects again.
    mutating func count(_ tallies: [Int: Tally]) {
        if eventCount == 0 { byLabel = tallies }
    }
}
