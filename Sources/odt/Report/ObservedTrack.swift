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
