import SwiftODT

/// An object that was followed, from its first message to its last.
struct ObservedTrack {
    /// What tells tracks apart: ids begin anew with each recording, and each stream has its own.
    struct Key: Hashable {
        let source: Int
        let recording: Int
        let id: Int
    }

    /// Where and when it was seen best.
    struct Best {
        let score: Double
        /// On the report's axis.
        let time: Double
        /// In the video's own time, by which its frame is found.
        let streamTime: Double
        /// In the upright picture, whose sides are 1.
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
    /// Why it ended; empty where that was not said.
    var reason = ""
    /// Once the element has said what it saw best, nothing competes with that.
    private var isReported = false

    init(_ key: Key, label: Int, at time: Double) {
        (self.key, self.label, first, last) = (key, label, time, time)
    }

    var duration: Double { last - first }

    mutating func seen(from start: Double, to end: Double) {
        first = min(first, start)
        last = max(last, end)
    }

    /// - Parameter isFinal: whether the element says so at the end.
    mutating func offer(_ candidate: Best, isFinal: Bool = false) {
        guard !isReported else { return }
        isReported = isFinal
        guard let best, !isFinal else { return best = candidate }
        let isBetter = (candidate.score, candidate.box.area) > (best.score, best.box.area)
        if isBetter { self.best = candidate }
    }
}
