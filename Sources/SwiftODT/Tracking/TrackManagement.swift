/// Matching, confirmation, beginning and end of tracks, and their events.
extension TrackerState {
    /// Applies a result to the frame of a history entry.
    mutating func apply(_ detections: [Detection], at index: Int, of region: InferredRegion?) {
        let (time, plane) = (history.entries[index].time, history.entries[index].plane)
        // Uses a buffer pointer, because tracklets are large and a copy is slow.
        tracklets.withUnsafeBufferPointer {
            matcher.match(detections, of: region, in: plane, with: $0, at: time, options: options)
        }
        if matcher.shift != .zero {
            // If the motion continues, the camera pans. The velocities of all objects, including missed ones, adapt.
            let seconds = max(Double(time - history.entries[0].time) / 1e9, TrackerTuning.cameraMemory)
            let faster = options.heuristics.contains(.cameraVelocity) ? matcher.shift / seconds : .zero
            for index in tracklets.indices {
                tracklets[index].filter.shift(matcher.shift, faster: faster)
                tracklets[index].pathEnd += matcher.shift
            }
        }
        let jitter = statistics.jitter
        let magnification = region?.magnification ?? 1
        let hits = Double(max(1, options.minHits))
        statistics.expect(matcher.pairs.count)
        for number in matcher.pairs.indices {
            let (track, detection) = (matcher.pairs[number].track, matcher.pairs[number].detection)
            let gap = time - tracklets[track].lastSeen
            tracklets[track].confirm(
                by: detection, called: detections[detection.source].label,
                appearance: matcher.appearances.clear(detection), at: time, jitter: jitter,
                magnification: magnification, heuristics: options.heuristics)
            statistics.learn(from: tracklets[track].sightings, number: number, heuristics: options.heuristics)
            tracklets[track].evidence += weight(of: detection.ownScore, after: gap)
            if tracklets[track].isConfirmed {
                tracklets[track].isNew = false
                usualScore += (detection.ownScore - usualScore) * TrackerTuning.usualScoreShare
            } else if tracklets[track].evidence >= hits {
                confirm(track)
            }
        }
        countMisses(at: time, after: history.entries[max(0, index - 1)].time, in: region)
        for number in matcher.unmatched.indices {
            guard tracklets.count < max(1, options.maxTracks) || makeRoom() else { break }
            let detection = matcher.unmatched[number]
            tracklets.append(
                Tracklet(
                    key: nextKey, detection: detection, label: detections[detection.source].label,
                    appearance: matcher.appearances[detection], time: time, jitter: statistics.jitter,
                    evidence: weight(of: detection.ownScore, after: .max), magnification: magnification))
            nextKey += 1
            // The objects of the first result of a scene are confirmed immediately.
            if lastResult == nil || options.minHits <= 1 { confirm(tracklets.count - 1) }
        }
        occlusionVerifier.verifyAll(
            at: &tracklets, in: plane, time: time, maxAge: options.maxAge, width: width, height: height)
    }

    /// Also drops missed tentative tracks. `frame` is the time of the last frame before the result's frame.
    private mutating func countMisses(at time: Nanoseconds, after frame: Nanoseconds, in region: InferredRegion?) {
        let maximumAge = options.maxAge.times(TrackerTuning.ageFactorOutsideRegions)
        let seen = region ?? InferredRegion(nil, width: width, height: height)
        var kept = 0
        for index in tracklets.indices {
            if !matcher.isTrackMatched[index] {
                if tracklets[index].isConfirmed { tracklets[index].isNew = false }
                if tracklets[index].countsAsMiss(in: seen, at: time, maximumAge: maximumAge) {
                    tracklets[index].miss(at: time, after: frame, maximumAge: options.maxAge)
                }
            }
            if tracklets[index].misses == 0 || tracklets[index].isConfirmed { keep(index, &kept) }
        }
        if kept == tracklets.count { return }
        // Empties the list if no consumer takes it. This bounds the memory.
        if unconfirmed.count > 1000 { unconfirmed.removeAll(keepingCapacity: true) }
        for index in kept..<tracklets.count {
            unconfirmed.append((tracklets[index].votes.winner, tracklets[index].best.score))
        }
        tracklets.removeLast(tracklets.count - kept)
    }

    mutating func endAged(at now: Nanoseconds) {
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

    /// Returns the reason to end a missed track, or `nil` to keep it. Only time in which results covered the track's
    /// position counts towards ``TrackerOptions/maxAge``. Tracks at rarely inferred positions thus live longer.
    private func reasonToEnd(_ index: Int, at now: Nanoseconds) -> TrackEvent.Reason? {
        let box = tracklets[index].filter.box
        let visible = box.clipped(width: width, height: height)
        if visible.area < TrackerTuning.leastInPicture * box.area { return .leftFrame }
        let unseen = now - tracklets[index].unseenSince
        let isLost = tracklets[index].searchedFor + (now - settledTime) > options.maxAge
        return isLost || unseen > options.maxAge.times(TrackerTuning.ageFactorOutsideRegions) ? .lost : nil
    }

    mutating func endAll(reason: TrackEvent.Reason) {
        for index in tracklets.indices where tracklets[index].isConfirmed { note(.end, index, reason) }
        tracklets.removeAll(keepingCapacity: true)
    }

    /// Moves a kept tracklet to index `kept`. A swap avoids a copy.
    private mutating func keep(_ index: Int, _ kept: inout Int) {
        if kept != index { tracklets.swapAt(kept, index) }
        kept += 1
    }

    /// Returns the weight towards confirmation, 0 to 1. More detections are needed to confirm if their scores are low
    /// compared with those of other objects, or if they follow each other closely, because their errors are correlated.
    private func weight(of score: Double, after gap: Nanoseconds) -> Double {
        let correlation = 1 - min(1, Double(gap) / Double(TrackerTuning.errorCorrelation))
        let full = TrackerTuning.fullEvidence * usualScore + TrackerTuning.correlatedEvidence * correlation
        let share = score / min(full, TrackerTuning.fullEvidenceFactor * options.scoreThreshold)
        return share < 1 && options.heuristics.contains(.scoreEvidence) ? share * share : 1
    }

    /// Ends the track that has been missed for longest. Returns `false` if all tracks are detected.
    private mutating func makeRoom() -> Bool {
        let missed = tracklets.indices.filter { tracklets[$0].misses > 0 }
        guard let oldest = missed.min(by: { tracklets[$0].lastSeen < tracklets[$1].lastSeen }) else { return false }
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
        var track = track(index)
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
