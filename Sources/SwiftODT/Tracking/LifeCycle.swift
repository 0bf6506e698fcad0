/// Birth, probation and end of tracks, and what is told about them.
extension Following {
    /// After an answer: shows those that have proved themselves, drops those that have not, begins new ones.
    mutating func live(at time: Nanoseconds) {
        let hits = Double(max(1, options.minHits))
        for number in matcher.pairs.indices {
            let pair = matcher.pairs[number]
            tracklets[pair.track].evidence += weight(of: matcher.detections[pair.detection].score)
            if tracklets[pair.track].isShown {
                tracklets[pair.track].isNew = false
            } else if tracklets[pair.track].evidence >= hits {
                show(pair.track)
            }
        }
        for index in tracklets.indices where !matcher.isTrackMatched[index] {
            tracklets[index].misses += 1
            tracklets[index].isNew = false
        }
        if tracklets.indices.contains(where: { tracklets[$0].misses > 0 && !tracklets[$0].isShown }) {
            tracklets.removeAll { $0.misses > 0 && !$0.isShown }
        }
        for number in matcher.newcomers.indices { begin(matcher.detections[matcher.newcomers[number]], at: time) }
        isSceneNew = isSceneNew && tracklets.isEmpty
    }

    /// Ends tracks that have been unseen for too long, or have left the picture.
    ///
    /// Only those that an answer has missed: between the answers of a slow detector nobody has looked.
    mutating func endAged() {
        guard let now, tracklets.indices.contains(where: { tracklets[$0].misses > 0 }) else { return }
        let (maxAge, width, height) = (max(0, options.maxAge), width, height)
        end { tracklet in
            if tracklet.misses == 0 { return nil }
            let box = tracklet.filter.box
            if width > 0, height > 0, box.clipped(width: width, height: height).area < 0.1 * box.area {
                return .leftFrame
            }
            return now - tracklet.lastSeen > maxAge ? .lost : nil
        }
    }

    mutating func endAll(reason: TrackEvent.Reason) { end { _ in reason } }

    /// The latest frame, as snapshots want it.
    var moment: Tracklet.Moment {
        Tracklet.Moment(now: now ?? settledTime, settled: settledTime, maxAge: options.maxAge)
    }

    /// How much a sighting counts towards being shown: those of doubtful score less, so that they have to come more
    /// often.
    private func weight(of score: Double) -> Double {
        let share = score / 0.6
        return min(1, share * share)
    }

    private mutating func begin(_ detection: Detection, at time: Nanoseconds) {
        guard tracklets.count < max(1, options.maxTracks) || giveWay() else { return }
        tracklets.append(
            Tracklet(
                key: nextKey, detection: detection, time: time, jitter: statistics.jitter,
                evidence: weight(of: detection.score)))
        nextKey += 1
        if isSceneNew || options.minHits <= 1 { show(tracklets.count - 1) }
    }

    /// Ends the track that has been unseen for longest, to make room. Tracks in sight are not ended for newcomers.
    private mutating func giveWay() -> Bool {
        var oldest: Tracklet?
        for tracklet in tracklets where tracklet.misses > 0 {
            if oldest.map({ tracklet.lastSeen < $0.lastSeen }) ?? true { oldest = tracklet }
        }
        guard let oldest else { return false }
        end { $0.key == oldest.key ? .limit : nil }
        return true
    }

    private mutating func show(_ index: Int) {
        tracklets[index].id = nextID
        nextID += 1
        note(.begin, index)
    }

    private mutating func end(_ reason: (Tracklet) -> TrackEvent.Reason?) {
        var kept = 0
        for index in tracklets.indices {
            if let reason = reason(tracklets[index]) {
                if tracklets[index].isShown { note(.end, index, reason) }
            } else {
                if kept != index { tracklets[kept] = tracklets[index] }
                kept += 1
            }
        }
        tracklets.removeLast(tracklets.count - kept)
    }

    private mutating func note(_ kind: TrackEvent.Kind, _ index: Int, _ reason: TrackEvent.Reason? = nil) {
        // Nobody reads them: the oldest are forgotten, so that memory stays bounded.
        if events.count >= 10_000 { events.removeFirst(5_000) }
        var track = tracklets[index].snapshot(at: moment)
        if kind == .end {
            track.state = .lost
            lostJustNow.append(track)
        }
        events.append(
            TrackEvent(
                kind: kind, track: track, bestScore: tracklets[index].bestScore, bestBox: tracklets[index].bestBox,
                pathLength: tracklets[index].pathLength, reason: reason))
    }
}
