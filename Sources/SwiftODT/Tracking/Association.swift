/// Matches tracks with detections: computes the gain of each candidate pair, and solves the assignment problem with the
/// greatest total gain.
///
/// Only pairs of overlapping boxes are considered (gating), see ``CandidatePairs``. In the assignment problem a row
/// stands for a track and a column for a detection.
struct Association: ~Copyable {
    struct Rule: Sendable {
        /// The minimum overlap of a matched pair (gate). The overlap is the IoU of expanded boxes, reduced if the
        /// labels differ. If ``isThorough`` is true, different heights also reduce the overlap.
        var threshold: Double
        /// Whether the gain includes height, motion, track age, score and appearance in addition to overlap and label.
        /// If true, the overlap is computed again with a smaller margin than in ``CandidatePairs``.
        var isThorough: Bool

        /// The first association stage: confirmed tracks and detections with a score above the threshold (strong
        /// detections).
        static let strong = Rule(threshold: TrackerTuning.candidateOverlap, isThorough: true)
        /// The second association stage (ByteTrack): detections with a score below the threshold (weak detections) and
        /// established tracks, see ``Tracklet/isEstablished(at:maximumAge:)``. The minimum overlap is higher than in
        /// the first stage.
        static let weak = Rule(threshold: TrackerTuning.weakOverlap, isThorough: true)
        /// The third stage: strong detections at the last observed positions of confirmed tracks. An object may stop or
        /// turn while it is occluded, so its predicted position may be wrong (observation-centric recovery, OC-SORT).
        static let reappearing = Rule(threshold: TrackerTuning.lastPositionOverlap, isThorough: false)
        /// The fourth stage: strong detections and tentative tracks. Tentative tracks have no reliable velocity yet.
        static let tentative = Rule(threshold: TrackerTuning.candidateOverlap, isThorough: false)
    }

    struct Pair: Sendable {
        var track: Int
        var detection: FilteredDetection
    }

    private var assignment = Assignment()
    /// The pairs of the latest call of ``match(_:_:_:_:_:_:)``.
    private(set) var pairs = ScratchList<Pair>()

    struct Context {
        let time: Nanoseconds
        /// ``TrackerOptions/maxAge`` in nanoseconds, for ``Tracklet/isEstablished(at:maximumAge:)``.
        let maximumAge: Nanoseconds
        let shift: SIMD2<Double>
        let heuristics: TrackerHeuristics
    }

    /// Assigns candidate detections to the tracks with the indices `rows`.
    mutating func match(
        _ rule: Rule, _ tracks: UnsafeBufferPointer<Tracklet>, _ rows: UnsafeBufferPointer<Int>,
        _ candidates: borrowing CandidatePairs, _ context: Context, _ appearances: borrowing DetectionAppearances
    ) {
        pairs.clear()
        if candidates.all.isEmpty { return }
        let detections = candidates.detections.view
        assignment.begin(columns: detections.count)
        for row in rows.indices {
            let track = tracks.baseAddress.unsafelyUnwrapped + rows[row]
            let isEstablished =
                track.pointee.isEstablished(at: context.time, maximumAge: context.maximumAge)
                || !context.heuristics.contains(.establishedLimit)
            for place in candidates.places(of: row) {
                let candidate = candidates.all[place]
                let column = Int(candidate.column)
                if detections[column].isWeak, !isEstablished { continue }
                let gain = Self.gain(
                    of: detections[column], for: track, overlap: candidate.overlap, rule, context, appearances)
                assignment.offer(column: column, gain: gain)
            }
            assignment.endRow()
        }
        assignment.solve()
        for row in rows.indices {
            let column = assignment.column(of: row)
            if column >= 0 { pairs.append(Pair(track: rows[row], detection: detections[column])) }
        }
    }

    /// Returns the gain of a pair. It is 0 or less if the pair is not allowed.
    @inline(__always)
    private static func gain(
        of detection: FilteredDetection, for track: UnsafePointer<Tracklet>, overlap: Double, _ rule: Rule,
        _ context: Context, _ appearances: borrowing DetectionAppearances
    ) -> Double {
        let isOther =
            detection.label >= 0 && track.pointee.votes.leaderIndex >= 0
            && detection.label != track.pointee.votes.leaderIndex
        let factor = isOther ? TrackerTuning.otherLabelFactor : 1
        if !rule.isThorough { return overlap * factor - rule.threshold }
        let expected = track.pointee.filter.box.offset(x: context.shift.x, y: context.shift.y)
        let closer = ExpandedBox(expected, by: TrackerTuning.gainMargin)
            .overlap(ExpandedBox(detection.box, by: TrackerTuning.gainMargin))
        let share = (context.heuristics.contains(.gainMargin) ? closer.shared / closer.whole : overlap) * factor
        guard share > rule.threshold else { return 0 }
        let similarity =
            share
            * (context.heuristics.contains(.heightIoU) ? heightAgreement(expected, detection.box).squareRoot() : 1)
            - rule.threshold
        guard similarity > 0 else { return 0 }
        let motion =
            !context.heuristics.contains(.motionSimilarity)
            ? 0 : TrackerTuning.motionWeight * track.pointee.filter.similarity(detection.box, shift: context.shift)
        // If two tracks compete for one detection, this part of the gain favours the older track.
        let age = track.pointee.secondsStrong
        let ageGain =
            context.heuristics.contains(.trackAge)
            ? TrackerTuning.trackAgeWeight * age / (age + TrackerTuning.halfTrackAge) : 0
        let scoreCost =
            !context.heuristics.contains(.confidenceCost)
            ? 0 : TrackerTuning.confidenceWeight * track.pointee.scoreAverage.distance(to: detection.ownScore)
        return max(similarity + motion + ageGain - scoreCost, 1e-6)
            + appearances.utility(of: track.pointee.appearance, at: expected, detection)
    }

    /// Returns the IoU of the vertical extents, as in height-modulated IoU (Hybrid-SORT). It separates people side by
    /// side, because their heights or their distances to the camera often differ.
    private static func heightAgreement(_ a: Box, _ b: Box) -> Double {
        let shared = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        let whole = max(a.maxY, b.maxY) - min(a.minY, b.minY)
        return whole > 0 ? max(0, shared) / whole : 0
    }
}
