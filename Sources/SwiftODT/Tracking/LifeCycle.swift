import Glibc

/// Birth, probation and end of tracks, and what is told about them.
extension Tracker {
    /// After an answer: shows those that have proved themselves, drops those that have not, begins new ones.
    func live(on matcher: Matcher, at time: Nanoseconds) {
        let hits = Double(max(1, options.minHits))
        for pair in matcher.pairs {
            let score = matcher.detections[pair.detection].score
            tracklets[pair.track].evidence += weight(of: score)
            if tracklets[pair.track].isShown {
                tracklets[pair.track].isNew = false
                note(.update, tracklets[pair.track])
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
        for index in matcher.newcomers { begin(matcher.detections[index], at: time) }
        isSceneNew = isSceneNew && tracklets.isEmpty
    }

    /// Ends tracks that have been unseen for too long, or have left the picture.
    ///
    /// Only those that an answer has missed: between the answers of a slow detector nobody has looked.
    func endAged() {
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

    func endAll(reason: TrackEvent.Reason) { end { _ in reason } }

    /// A track as it is to be shown at `time`.
    func snapshot(_ tracklet: Tracklet, at time: Nanoseconds) -> Track {
        let age = max(0, time - tracklet.lastSeen)
        let isCoasting = tracklet.misses > 0
        let decay = isCoasting ? exp(-2 * Double(age) / Double(max(1, options.maxAge))) : 1
        return Track(
            id: tracklet.id, box: tracklet.shownBox(at: settledTime), score: tracklet.score * decay,
            label: tracklet.votes.winner, state: isCoasting ? .coasting : tracklet.isNew ? .new : .tracked,
            firstSeen: tracklet.firstSeen, lastSeen: tracklet.lastSeen, timeSinceUpdate: age,
            velocityX: tracklet.filter.velocity.x, velocityY: tracklet.filter.velocity.y)
    }

    /// How much a sighting counts towards being shown: those of doubtful score less, so that they have to come more
    /// often.
    private func weight(of score: Double) -> Double {
        let share = score / 0.6
        return min(1, share * share)
    }

    private func begin(_ detection: Detection, at time: Nanoseconds) {
        guard tracklets.count < max(1, options.maxTracks) || giveWay() else { return }
        tracklets.append(
            Tracklet(
                key: nextKey, detection: detection, time: time, jitter: statistics.jitter,
                evidence: weight(of: detection.score)))
        nextKey += 1
        if isSceneNew || options.minHits <= 1 { show(tracklets.count - 1) }
    }

    /// Ends the track that has been unseen for longest, to make room. Tracks in sight are not ended for newcomers.
    private func giveWay() -> Bool {
        var oldest: Tracklet?
        for tracklet in tracklets where tracklet.misses > 0 {
            if oldest.map({ tracklet.lastSeen < $0.lastSeen }) ?? true { oldest = tracklet }
        }
        guard let oldest else { return false }
        end { $0.key == oldest.key ? .limit : nil }
        return true
    }

    private func show(_ index: Int) {
        tracklets[index].id = nextID
        nextID += 1
        note(.begin, tracklets[index])
    }

    private func end(_ reason: (Tracklet) -> TrackEvent.Reason?) {
        var kept = 0
        for index in tracklets.indices {
            if let reason = reason(tracklets[index]) {
                guard tracklets[index].isShown else { continue }
                var last = snapshot(tracklets[index], at: now ?? settledTime)
                last.state = .lost
                lostJustNow.append(last)
                note(.end, tracklets[index], last, reason)
            } else {
                if kept != index { tracklets[kept] = tracklets[index] }
                kept += 1
            }
        }
        tracklets.removeLast(tracklets.count - kept)
    }

    private func note(
        _ kind: TrackEvent.Kind, _ tracklet: Tracklet, _ last: Track? = nil, _ reason: TrackEvent.Reason? = nil
    ) {
        // Nobody reads them: the oldest are forgotten, so that memory stays bounded.
        if events.count >= 10_000 { events.removeFirst(5_000) }
        events.append(
            TrackEvent(
                kind: kind, track: last ?? snapshot(tracklet, at: now ?? settledTime), bestScore: tracklet.bestScore,
                bestBox: tracklet.bestBox, pathLength: tracklet.pathLength, reason: reason))
    }
}
