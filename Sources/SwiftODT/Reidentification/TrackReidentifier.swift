/// Gives a returning object the id that it had before its track ended.
///
/// A view is the picture of an object in one frame. In a good view, the object is detected, inside the picture, large
/// enough and not covered. The appearance of a track is the mean of its good views. A new track is compared with the
/// ended tracks until ``decisionTime`` after its first good view. The new track takes over the id of the ended track
/// with the most similar appearance, unless another object is almost as similar. In that case the track keeps its new
/// id, because a new id is better than a wrong one.
///
///     var reidentifier = TrackReidentifier(describer: try ReidentificationNetwork())
///     let changes = try reidentifier.follow(&tracks, in: frame, at: frame.time, retention: 300_000_000_000)
package struct TrackReidentifier: Sendable {
    package struct Change: Hashable, Sendable {
        package let from: Int
        package let to: Int
    }

    /// The minimum similarity of the returning object to the ended track, and the least difference to the similarity of
    /// any other object. The values were chosen on PETS and on the clips of the benchmark `returns.py`.
    private static let (minimumSimilarity, minimumMargin): (Float, Float) = (0.86, 0.03)
    /// If the similarity of a view to the earlier views of its track is below this value, the track now shows another
    /// object. The value was chosen on PETS: with a lower value more people are confused, with a higher one fewer are
    /// recognised.
    private static let minimumConsistency: Float = 0.45
    /// A new track can take over an id until this time has passed since its first good view, in nanoseconds. The track
    /// is undecided until then, or until it takes over an id. Later views show a person from more sides, so the
    /// similarities of the same and of another person differ more.
    private static let decisionTime: Nanoseconds = 3_000_000_000
    /// The interval between two views of an undecided track, in nanoseconds.
    private static let undecidedInterval: Nanoseconds = 200_000_000
    /// The first and the longest interval between two views of a decided track, in nanoseconds. The interval doubles
    /// with each view.
    private static let (firstInterval, longestInterval): (Nanoseconds, Nanoseconds) = (500_000_000, 8_000_000_000)
    /// The limits of the number of embeddings. `meanViewsPerFrame` limits the average per frame, and thus the cost of a
    /// crowd. `viewsPerFrame` limits the number in a single frame, and thus the delay of the frame when a group
    /// appears.
    private static let (meanViewsPerFrame, viewsPerFrame) = (0.25, 2.0)
    /// A detected box is used as a view only if the detection is at most this old, in nanoseconds. In live streams,
    /// detections are late.
    private static let freshness: Nanoseconds = 200_000_000
    private static let minimumHeight = 48.0
    /// A view is not good if an object nearer to the camera covers more than this fraction of it. An object counts as
    /// nearer if its box ends further down.
    private static let coveredPart = 0.15
    /// The maximum displacement of an object while it was not tracked: a speed in box heights per second, plus a
    /// distance in box heights.
    private static let (possibleSpeed, possibleJump) = (4.0, 1.0)
    /// The maximum number of ended tracks that are kept for a comparison.
    private static let capacity = 1000

    private struct Followed: Sendable {
        var id: Int
        var track: Track
        var appearance: ObjectAppearance?
        var firstView: Nanoseconds?
        var isDecided = false
        var nextView: Nanoseconds
        var interval = TrackReidentifier.firstInterval
    }

    private struct Ended: Sendable {
        let appearance: ObjectAppearance
        let track: Track
        let wasReported: Bool
    }

    private struct Identity: Sendable {
        let id: Int
        let wasReported: Bool
    }

    private let describer: any AppearanceDescriber
    /// The present tracks. The key is the id that the tracker assigned.
    private var followed: [Int: Followed] = [:]
    /// The ended tracks. The key is the reported id.
    private var ended: [Int: Ended] = [:]
    /// The reported ids that differ from the ids of the tracker. The key is the id that the tracker assigned.
    private var identities: [Int: Identity] = [:]
    /// The boxes of all tracks in the latest frame. The key is the id that the tracker assigned.
    private var boxes: [Int: Box] = [:]
    /// The number of embeddings that may be computed in the current frame.
    private var budget = TrackReidentifier.viewsPerFrame

    package init(describer: any AppearanceDescriber) { self.describer = describer }

    /// Replaces the tracker's ids by the ids to report. Call this once per frame with all tracks.
    ///
    /// - Parameters:
    ///   - frame: the picture. With `nil`, no appearance is measured and no id is taken over.
    ///   - retention: how long after its latest detection an ended track can return, in nanoseconds.
    ///   - maxAge: how long the tracker keeps a track without detections, in nanoseconds.
    /// - Returns: the changes of reported ids in this frame. A replaced id is not used again.
    package mutating func follow(
        _ tracks: inout [Track], in frame: Frame?, at now: Nanoseconds, retention: Nanoseconds, maxAge: Nanoseconds
    ) throws -> [Change] {
        note(tracks, at: now)
        var changes: [Change] = []
        budget = min(budget + Self.meanViewsPerFrame, Self.viewsPerFrame)
        if let frame, budget >= 1 {
            for number in due(Int(budget), in: frame, at: now) {
                budget -= 1
                try addView(of: number, in: frame, at: now)
                if let change = decide(number, in: frame, at: now) { changes.append(change) }
            }
        }
        for index in tracks.indices { tracks[index].id = tracks[index].id.map(identity) }
        forget(endedBefore: now.since(retention), mergedBefore: now.since(max(retention, maxAge.times(2))))
        return changes
    }

    package func identity(of number: Int) -> Int { identities[number]?.id ?? number }

    /// Ends a track of the tracker and returns the id to report. Call this for each end event of the tracker.
    /// `isReported` returns whether the object with an id has been reported.
    package mutating func end(_ number: Int, isReported: (Int) -> Bool) -> Int {
        let identity = identities.removeValue(forKey: number)
        let id = identity?.id ?? number
        if let last = followed.removeValue(forKey: number), let appearance = last.appearance {
            ended[id] = Ended(
                appearance: appearance, track: last.track,
                wasReported: identity?.wasReported ?? false || isReported(id))
        }
        return id
    }

    /// Returns the tracker's id of the present track that has the given reported id.
    package func number(of id: Int) -> Int { identities.first { $0.value.id == id }?.key ?? id }

    /// Whether a present track has taken over the id of an object that was reported.
    package func hasReturned(_ id: Int) -> Bool { identities.values.contains { $0.id == id && $0.wasReported } }

    package mutating func reset() { (followed, ended, identities, boxes) = ([:], [:], [:], [:]) }

    // MARK: Tracks

    private mutating func note(_ tracks: [Track], at now: Nanoseconds) {
        var present = Set<Int>()
        boxes.removeAll(keepingCapacity: true)
        for var track in tracks where track.state != .lost {
            guard let number = track.id else { continue }
            present.insert(number)
            boxes[number] = track.box
            let isKnown = followed[number] != nil
            // The scene may remove the label of a track for a while. The latest label then remains valid.
            track.label = track.label ?? followed[number]?.track.label
            guard isKnown || describer.labels.contains(track.label?.text.lowercased() ?? "") else { continue }
            let id = identity(of: number)
            followed[number, default: Followed(id: id, track: track, nextView: now)].track = track
        }
        // A track that the tracker temporarily does not report is occluded or unreliable. It gives no view.
        for number in followed.keys where !present.contains(number) { followed[number]?.track.state = .coasting }
    }

    private mutating func forget(endedBefore limit: Nanoseconds, mergedBefore mergeLimit: Nanoseconds) {
        if ended.values.contains(where: { $0.track.lastSeen < limit }) {
            ended = ended.filter { $0.value.track.lastSeen >= limit }
        }
        // A track that disappears without an end event was merged with another track. The tracker may keep other tracks
        // that it does not report for as long as `mergeLimit`.
        for (number, one) in followed where boxes[number] == nil && one.track.lastSeen < mergeLimit {
            (followed[number], identities[number]) = (nil, nil)
        }
        while ended.count > Self.capacity,
            let oldest = ended.min(by: { $0.value.track.lastSeen < $1.value.track.lastSeen })
        { ended[oldest.key] = nil }
    }

    // MARK: Views

    /// Returns up to `count` ids of tracks that are due for a new view and have a good view in this frame. Undecided
    /// tracks come first. Otherwise, the track that has been due for longest comes first.
    private func due(_ count: Int, in frame: Frame, at now: Nanoseconds) -> [Int] {
        let due = followed.filter { $0.value.nextView <= now }
            .map { (order: $0.value.isDecided ? 1 : 0, time: $0.value.nextView, number: $0.key, track: $0.value.track) }
            .sorted { ($0.order, $0.time, $0.number) < ($1.order, $1.time, $1.number) }
        // Lazy, because the cost of `isGoodView` grows with the number of tracks.
        return due.lazy.filter { isGoodView($0.track, in: frame, at: now) }.prefix(count).map(\.number)
    }

    private func isGoodView(_ track: Track, in frame: Frame, at now: Nanoseconds) -> Bool {
        let (box, upright) = (track.box, frame.upright(track.box))
        guard track.state != .coasting, now - track.lastSeen <= Self.freshness, upright.height >= Self.minimumHeight,
            box.minX >= 1, box.minY >= 1, box.maxX <= Double(frame.width - 1), box.maxY <= Double(frame.height - 1)
        else { return false }
        return !boxes.contains { number, other in
            number != track.id && other.intersection(box).area > Self.coveredPart * box.area
                && frame.upright(other).maxY > upright.maxY
        }
    }

    private mutating func addView(of number: Int, in frame: Frame, at now: Nanoseconds) throws {
        guard var one = followed[number] else { return }
        let view = try describer.describe(one.track.box, in: frame)
        if let appearance = one.appearance, appearance.similarity(to: view) >= Self.minimumConsistency {
            one.appearance?.add(view)
        } else {
            // This is the first view, or the track now shows another object.
            one.appearance = view
        }
        one.firstView = one.firstView ?? now
        one.nextView = now.adding(one.isDecided ? one.interval : Self.undecidedInterval)
        if one.isDecided { one.interval = min(2 * one.interval, Self.longestInterval) }
        followed[number] = one
    }

    // MARK: Decisions

    private mutating func decide(_ number: Int, in frame: Frame, at now: Nanoseconds) -> Change? {
        guard let one = followed[number], !one.isDecided, let appearance = one.appearance else { return nil }
        let isLate = now - (one.firstView ?? now) > Self.decisionTime
        let id = isLate ? nil : returned(one, number, appearance, in: frame, at: now)
        followed[number]?.isDecided = isLate || id != nil
        guard let id else { return nil }
        let before = ended.removeValue(forKey: id)
        if let before { followed[number]?.appearance?.add(before.appearance) }
        followed[number]?.id = id
        identities[number] = Identity(id: id, wasReported: before?.wasReported ?? false)
        return Change(from: one.id, to: id)
    }

    /// Returns the id of the ended track with the most similar appearance. `nil` if this track is not similar enough,
    /// or if another object is almost as similar.
    private func returned(
        _ one: Followed, _ number: Int, _ appearance: ObjectAppearance, in frame: Frame, at now: Nanoseconds
    ) -> Int? {
        let candidates = ended.filter {
            $0.value.track.lastSeen < one.track.firstSeen && $0.value.track.label?.text == one.track.label?.text
        }.sorted { $0.key < $1.key }
        guard !candidates.isEmpty else { return nil }
        let others = followed.sorted { $0.key < $1.key }.compactMap { $0.key == number ? nil : $0.value.appearance }
        let similarities = (candidates.map(\.value.appearance) + others).map { appearance.similarity(to: $0) }
        guard let (place, best) = zip(candidates.indices, similarities).max(by: { $0.1 < $1.1 }) else { return nil }
        let second = max(0, similarities[..<place].max() ?? 0, similarities[(place + 1)...].max() ?? 0)
        let (id, before) = candidates[place]
        guard best >= max(Self.minimumSimilarity, second + Self.minimumMargin),
            isReachable(
                frame.upright(one.track.box), from: frame.upright(before.track.box), in: now - before.track.lastSeen)
        else { return nil }
        return id
    }

    private func isReachable(_ box: Box, from before: Box, in time: Nanoseconds) -> Bool {
        let heights = box.centerDistance(to: before) / max(1, max(box.height, before.height))
        return heights <= Self.possibleJump + Self.possibleSpeed * Double(time) / 1e9
    }
}

extension Frame {
    /// Returns a box of the buffer in the picture as it is displayed.
    fileprivate func upright(_ box: Box) -> Box {
        orientation.upright(box, bufferWidth: Double(width), bufferHeight: Double(height))
    }
}
