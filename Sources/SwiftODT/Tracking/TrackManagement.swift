/// Confirmation, beginning and end of tracks, and their events.
extension TrackerState {
    /// Updates the tracks after the matching: confirms tentative tracks, counts misses, drops missed tentative tracks
    /// and begins new tracks.
    ///
    /// - Parameter frame: the time of the last frame before the result's frame.
    mutating func processMatches(
        _ detections: [Detection], at time: Nanoseconds, after frame: Nanoseconds, region: InferredRegion?
    ) {
        let hits = Double(max(1, options.minHits))
        for number in matcher.pairs.indices {
            let pair = matcher.pairs[number]
            let weight = weight(of: pair.detection.ownScore)
            if tracklets[pair.track].addEvidence(weight, of: hits) { confirm(pair.track) }
        }
        var hasMissedTentative = false
        let maxAge = max(0, options.maxAge)
        let maximumAge = maxAge.times(TrackerTuning.ageFactorOutsideRegions)
        let seen = region ?? InferredRegion(nil, width: width, height: height)
        for index in tracklets.indices where !matcher.isTrackMatched[index] {
            if tracklets[index].isConfirmed { tracklets[index].isNew = false }
            guard tracklets[index].countsAsMiss(in: seen, at: time, maximumAge: maximumAge) else { continue }
            tracklets[index].miss(at: time, after: frame, maximumAge: maxAge)
            hasMissedTentative = hasMissedTentative || !tracklets[index].isConfirmed
        }
        if hasMissedTentative { dropUnconfirmed() }
        for number in matcher.unmatched.indices {
            let detection = matcher.unmatched[number]
            begin(
                detection, called: detections[detection.source].label, appearance: matcher.appearances[detection],
                at: time,
                magnification: region?.magnification ?? 1)
        }
        isSceneNew = false
    }

    mutating func endAged() {
        guard let now else { return }
        var kept = 0
        for index in tracklets.indices {
            if tracklets[index].misses > 0, let reason = reasonToEnd(index, at: now) {
                if tracklets[index].isConfirmed { note(.end, index, reason) }
            } else {
                keep(index, &kept)
            }
        }
        tracklets.removeLast(tracklets.count - kept)
    }

    /// Only time in which results covered the track's position counts towards ``TrackerOptions/maxAge``. Tracks at
    /// rarely inferred positions thus live longer, up to ``TrackerTuning/ageFactorOutsideRegions`` times that age.
    private func reasonToEnd(_ index: Int, at now: Nanoseconds) -> TrackEvent.Reason? {
        let box = tracklets[index].filter.box
        if width > 0, height > 0,
            box.clipped(width: width, height: height).area < TrackerTuning.leastInPicture * box.area
        {
            return .leftFrame
        }
        let maxAge = max(0, options.maxAge)
        let unseen = now - tracklets[index].unseenSince
        let searchedFor = tracklets[index].searchedFor + (now - settledTime)
        return searchedFor > maxAge || unseen > maxAge.times(TrackerTuning.ageFactorOutsideRegions) ? .lost : nil
    }

    func summary(of id: Int) -> (best: Track.Best, pathLength: Double)? {
        guard let index = tracklets.indices.first(where: { tracklets[$0].id == id }) else { return nil }
        return (tracklets[index].best, tracklets[index].pathLength)
    }

    mutating func endAll(reason: TrackEvent.Reason) {
        for index in tracklets.indices where tracklets[index].isConfirmed { note(.end, index, reason) }
        tracklets.removeAll(keepingCapacity: true)
    }

    private mutating func dropUnconfirmed() {
        var kept = 0
        for index in tracklets.indices where tracklets[index].misses == 0 || tracklets[index].isConfirmed {
            keep(index, &kept)
        }
        // Empties the list if no consumer takes it. This bounds the memory.
        if unconfirmed.count > 1000 { unconfirmed.removeAll(keepingCapacity: true) }
        for index in kept..<tracklets.count {
            unconfirmed.append((tracklets[index].votes.winner, tracklets[index].best.score))
        }
        tracklets.removeLast(tracklets.count - kept)
    }

    /// Moves a kept tracklet to index `kept`. A swap avoids a copy.
    private mutating func keep(_ index: Int, _ kept: inout Int) {
        if kept != index { tracklets.swapAt(kept, index) }
        kept += 1
    }

    var moment: Track.SnapshotTime {
        Track.SnapshotTime(now: now ?? settledTime, settled: settledTime, maxAge: options.maxAge)
    }

    /// Returns the weight of a detection towards confirmation, 0 to 1. Detections with low scores have less weight, so
    /// more of them are needed to confirm a track.
    private func weight(of score: Double) -> Double {
        let full = min(TrackerTuning.fullEvidence, TrackerTuning.fullEvidenceFactor * options.scoreThreshold)
        guard score < full, options.heuristics.contains(.scoreEvidence) else { return 1 }
        let share = score / full
        return share * share
    }

    private mutating func begin(
        _ detection: FilteredDetection, called label: Label?, appearance: Appearance?, at time: Nanoseconds,
        magnification: Double
    ) {
        guard tracklets.count < max(1, options.maxTracks) || makeRoom() else { return }
        tracklets.append(
            Tracklet(
                key: nextKey, detection: detection, label: label, appearance: appearance, time: time,
                jitter: statistics.jitter, evidence: weight(of: detection.ownScore), magnification: magnification))
        nextKey += 1
        if isSceneNew || options.minHits <= 1 { confirm(tracklets.count - 1) }
    }

    /// Ends the track that has been missed for longest. Returns `false` if all tracks are detected, because a new track
    /// does not replace a detected one.
    private mutating func makeRoom() -> Bool {
        var oldest: Int?
        for index in tracklets.indices where tracklets[index].misses > 0 {
            if oldest.map({ tracklets[index].lastSeen < tracklets[$0].lastSeen }) ?? true { oldest = index }
        }
        guard let oldest else { return false }
        if tracklets[oldest].isConfirmed { note(.end, oldest, .limit) }
        tracklets.remove(at: oldest)
        return true
    }

    private mutating func confirm(_ index: Int) {
        tracklets[index].id = nextID
        nextID += 1
        note(.begin, index)
    }

    private mutating func note(_ kind: TrackEvent.Kind, _ index: Int, _ reason: TrackEvent.Reason? = nil) {
        // Drops the oldest half of the events if no consumer takes them. This bounds the memory.
        if events.count >= 10_000 { events.removeFirst(5_000) }
        let moment = moment
        var track = tracklets.withUnsafeBufferPointer { Track(of: $0.baseAddress! + index, at: moment) }
        if kind == .end {
            track.state = .lost
            lostJustNow.append(track)
        }
        events.append(
            TrackEvent(
                kind: kind, track: track, best: tracklets[index].best, pathLength: tracklets[index].pathLength,
                reason: reason))
    }
}
