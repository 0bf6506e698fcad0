/// Follows objects from frame to frame: detections and time in, tracks with ids out.
///
/// For every frame in order call ``advance(to:width:height:luma:)``, then ``update(_:seenAt:)`` where a detector has
/// answered, then read ``tracks``. Used from one thread at a time.
public final class Tracker {
    /// May change at any time between calls.
    public var options: TrackerOptions

    private struct Followed {
        var track: Track
        var hits: Int
        var bestScore: Double
        var bestBox: Box
        var pathLength: Double
        var isShown: Bool
    }

    private var followed: [Followed] = []
    private var lostJustNow: [Track] = []
    private var events: [TrackEvent] = []
    private var nextID = 1
    private var now: Nanoseconds?
    private var isFirstUpdate = true
    private var width = 0
    private var height = 0

    public init(options: TrackerOptions = TrackerOptions()) { self.options = options }

    /// The world moved on: carries boxes, detects scene cuts, ages and ends tracks.
    ///
    /// - Parameter luma: the frame's small grey copy, where there is one: boxes then follow the image.
    public func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        self.width = width
        self.height = height
        let step = max(0, Double(time - (now ?? time)) / 1e9)
        now = max(time, now ?? time)
        lostJustNow.removeAll(keepingCapacity: true)
        for index in followed.indices {
            followed[index].track.box = followed[index].track.box.offset(
                x: followed[index].track.velocityX * step, y: followed[index].track.velocityY * step)
            followed[index].track.timeSinceUpdate = time - followed[index].track.lastSeen
        }
        let maxAge = options.maxAge
        end(reason: nil) { $0.track.timeSinceUpdate > maxAge }
    }

    /// A detector's answer for the frame at `seenAt`, which may be earlier than the last `advance`.
    public func update(_ detections: [Detection], seenAt time: Nanoseconds) {
        var isTaken = [Bool](repeating: false, count: detections.count)
        for index in followed.indices {
            var best: (index: Int, overlap: Double)?
            for (number, detection) in detections.enumerated() where !isTaken[number] {
                let overlap = detection.box.iou(followed[index].track.box)
                if overlap > max(0.2, best?.overlap ?? 0) { best = (number, overlap) }
            }
            guard let best else {
                followed[index].track.state = .coasting
                continue
            }
            isTaken[best.index] = true
            confirm(index, by: detections[best.index], at: time)
        }
        for (number, detection) in detections.enumerated()
        where !isTaken[number] && detection.score >= options.scoreThreshold && detection.box.isFinite
            && !detection.box.isEmpty && followed.count < options.maxTracks
        {
            let track = Track(
                id: nextID, box: detection.box, score: detection.score, label: detection.label, state: .new,
                firstSeen: time, lastSeen: time)
            nextID += 1
            let isShown = isFirstUpdate || options.minHits <= 1
            followed.append(
                Followed(
                    track: track, hits: 1, bestScore: detection.score, bestBox: detection.box, pathLength: 0,
                    isShown: isShown))
            if isShown { note(.begin, followed[followed.count - 1]) }
        }
        isFirstUpdate = false
    }

    /// Those to be shown now: past probation, and those lost with the last `advance`.
    public var tracks: [Track] { followed.lazy.filter(\.isShown).map(\.track) + lostJustNow }

    /// What happened since the last call.
    public func takeEvents() -> [TrackEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// A new epoch: all tracks end; ids go on and are not used again.
    public func reset(reason: TrackEvent.Reason) {
        lostJustNow.removeAll()
        end(reason: reason) { _ in true }
        now = nil
        isFirstUpdate = true
    }

    private func confirm(_ index: Int, by detection: Detection, at time: Nanoseconds) {
        var one = followed[index]
        let elapsed = Double(time - one.track.lastSeen) / 1e9
        let (dx, dy) = (detection.box.centerX - one.track.box.centerX, detection.box.centerY - one.track.box.centerY)
        if elapsed > 0 {
            one.track.velocityX += dx / elapsed / 2
            one.track.velocityY += dy / elapsed / 2
        }
        one.pathLength += (dx * dx + dy * dy).squareRoot()
        one.hits += 1
        one.track.box = detection.box
        one.track.score = detection.score
        one.track.label = detection.label ?? one.track.label
        one.track.lastSeen = time
        one.track.timeSinceUpdate = (now ?? time) - time
        if detection.score > one.bestScore { (one.bestScore, one.bestBox) = (detection.score, detection.box) }
        one.track.state = one.isShown ? .tracked : .new
        let begins = !one.isShown && one.hits >= options.minHits
        if begins { one.isShown = true }
        followed[index] = one
        if one.isShown { note(begins ? .begin : .update, one) }
    }

    private func end(reason: TrackEvent.Reason?, where isOver: (Followed) -> Bool) {
        for var one in followed where one.isShown && isOver(one) {
            one.track.state = .lost
            let isInside = !one.track.box.clipped(width: width, height: height).isEmpty
            lostJustNow.append(one.track)
            note(.end, one, reason: reason ?? (isInside ? .lost : .leftFrame))
        }
        followed.removeAll(where: isOver)
    }

    private func note(_ kind: TrackEvent.Kind, _ one: Followed, reason: TrackEvent.Reason? = nil) {
        events.append(
            TrackEvent(
                kind: kind, track: one.track, bestScore: one.bestScore, bestBox: one.bestBox,
                pathLength: one.pathLength, reason: reason))
    }
}
