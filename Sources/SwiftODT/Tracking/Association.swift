/// Brings tracks and detections together: which pairs are thinkable, how alike they are, and the best pairing of all.
///
/// Only pairs whose boxes come near each other are looked at, see ``CandidatePairs``. Memory is kept from frame to frame.
struct Association: ~Copyable {
    /// What makes a pair, and a better one.
    struct Rule: Sendable {
        /// Pairs that are less alike are none.
        var threshold: Double
        /// Whether overlap is measured with a narrower margin, and height, motion, age and appearance count too; or that of
        /// ``CandidatePairs`` is all.
        var isThorough: Bool

        /// Whether its pairs are sure enough, and of all scores, to learn from them what scores tell.
        var usesScores = false

        /// Strong detections: the main pass.
        static let strong = Rule(threshold: 0.2, isThorough: true, usesScores: true)
        /// Weak detections continue tracks where they are expected to be, and have to fit well.
        static let weak = Rule(threshold: 0.6, isThorough: true)
        /// Objects that stopped, or turned while they were hidden, reappear where they were.
        static let reappearing = Rule(threshold: 0.4, isThorough: false)
        /// Objects seen once have no velocity yet.
        static let young = Rule(threshold: 0.2, isThorough: false)
    }

    struct Pair: Sendable {
        var track: Int
        var detection: FilteredDetection
        /// The detection's place among those that were offered.
        var column: Int
    }

    /// By how much of its size each box is widened on every side where a rule is thorough.
    private static let margin = 0.1

    /// What is left of the overlap where the detector calls the two different things: it may change its mind about a
    /// thing, but the bicycle behind somebody who walks away is not that somebody.
    private static let otherLabelPenalty = 0.4

    /// Overlap that it takes at least where the detection is doubtful: what is near a track is not for that its own.
    private static let uncertainFit = 0.4

    /// After so many seconds a track has earned half the standing there is.
    private static let halfStanding = 0.5

    private var assignment = Assignment()
    /// The pairs of the latest ``match(_:_:_:with:at:maximumAge:rule:shift:appearances:scoreWeight:)``.
    private(set) var pairs = ScratchList<Pair>()

    /// Finds the best pairs among some of the tracks, given by index, and the detections that are their neighbours.
    ///
    /// - Parameters:
    ///   - maximumAge: how long a track may be held by doubtful detections at least, see ``Tracklet/isEstablished(at:maximumAge:)``.
    ///   - shift: how far the camera has moved everything away from the predictions.
    ///   - scoreWeight: what an unusual score takes away, see ``ScoreStatistics``.
    mutating func match(
        _ tracks: UnsafeBufferPointer<Tracklet>, _ rows: UnsafeBufferPointer<Int>, _ neighbours: borrowing CandidatePairs,
        with detections: UnsafeBufferPointer<FilteredDetection>, at time: Nanoseconds, maximumAge: Nanoseconds, rule: Rule,
        shift: SIMD2<Double>, appearances: borrowing DetectionAppearances, scoreWeight: Double
    ) {
        pairs.clear()
        if neighbours.all.isEmpty { return }
        assignment.begin(columns: detections.count)
        for row in rows.indices {
            let track = tracks.baseAddress.unsafelyUnwrapped + rows[row]
            let isEstablished = track.pointee.isEstablished(at: time, maximumAge: maximumAge)
            for place in neighbours.places(of: row) {
                let neighbour = neighbours.all[place]
                let column = Int(neighbour.column)
                if detections[column].isUncertain, !isEstablished { continue }
                let gain = Self.gain(
                    of: detections[column], for: track, overlap: neighbour.overlap, at: time, rule: rule, shift: shift,
                    appearances: appearances, scoreWeight: scoreWeight)
                assignment.offer(column: column, gain: gain)
            }
            assignment.endRow()
        }
        assignment.solve()
        for row in rows.indices {
            let column = assignment.column(of: row)
            if column >= 0 { pairs.append(Pair(track: rows[row], detection: detections[column], column: column)) }
        }
    }

    /// How good a pair is; not above 0 where it is none.
    @inline(__always)
    private static func gain(
        of detection: FilteredDetection, for track: UnsafePointer<Tracklet>, overlap: Double, at time: Nanoseconds,
        rule: Rule, shift: SIMD2<Double>, appearances: borrowing DetectionAppearances, scoreWeight: Double
    ) -> Double {
        let isOther =
            detection.label >= 0 && track.pointee.votes.leaderIndex >= 0
            && detection.label != track.pointee.votes.leaderIndex
        if !rule.isThorough { return (isOther ? overlap * otherLabelPenalty : overlap) - rule.threshold }
        let expected = track.pointee.filter.box.offset(x: shift.x, y: shift.y)
        let closer = ExpandedBox(expected, by: margin).overlap(ExpandedBox(detection.box, by: margin))
        let share = isOther ? closer.shared / closer.whole * otherLabelPenalty : closer.shared / closer.whole
        guard share > (detection.isUncertain ? max(rule.threshold, uncertainFit) : rule.threshold) else { return 0 }
        let similarity = share * heightAgreement(expected, detection.box).squareRoot() - rule.threshold
        guard similarity > 0 else { return 0 }
        let motion = 0.3 * track.pointee.filter.similarity(detection.box, shift: shift)
        let unseen = min(1, Double(time - track.pointee.lastSeen) / 1e9)
        // Of two tracks on one object the one that has been there for longer, and is in sight, keeps it.
        let spokenFor = track.pointee.secondsStrong
        let absence = track.pointee.misses > 0 ? 0.05 + 0.15 * unseen : 0.15 * unseen
        let standing = 0.3 * spokenFor / (spokenFor + halfStanding) - absence
        let surprise = scoreWeight * track.pointee.scoreAverage.distance(to: detection.ownScore)
        return max(similarity + motion + standing - surprise, 1e-6)
            + appearances.utility(of: track.pointee.appearance, at: expected, detection)
    }

    /// Overlap along the vertical alone: people side by side differ little across, but often in height and distance.
    private static func heightAgreement(_ a: Box, _ b: Box) -> Double {
        let shared = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        let whole = max(a.maxY, b.maxY) - min(a.minY, b.minY)
        return whole > 0 ? max(0, shared) / whole : 0
    }
}
