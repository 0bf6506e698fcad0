/// Finds what has to be redacted in each frame, on a path of its own: what is reported (filters, thresholds, track-min-hits) does not matter.
///
/// Every detection from ``Options/threshold`` up that may have one of the labels is redacted in its frame, and begins a track. Weaker
/// detections, and detections with other labels where such a track is expected, keep the track alive. Where later frames are known before
/// a frame is taken (``places(ofFrame:)``), tracks are interpolated between detections and extrapolated to before their first one.
///
/// For every frame in order: ``advance(to:width:height:luma:)``, ``observe(_:seenAt:region:)`` for each answer, ``endFrame()``. Used from one
/// thread at a time.
package final class RedactionTracker {
    package struct Options: Equatable, Sendable {
        /// In lower case; empty for everything that is detected.
        package var labels: Set<String>
        package var threshold: Double
        /// Whether objects are followed from frame to frame.
        package var follows: Bool
        /// How long a track that is missed is redacted at most.
        package var maxAge: Nanoseconds

        package init(labels: Set<String>, threshold: Double, follows: Bool, maxAge: Nanoseconds) {
            (self.labels, self.threshold, self.follows, self.maxAge) = (labels, threshold, follows, maxAge)
        }

        /// Detections from here up keep a track alive.
        package var floor: Double { threshold / 2 }

        /// A detection without a label may be anything.
        func mayMean(_ label: Label?) -> Bool {
            guard !labels.isEmpty, let label else { return true }
            return labels.contains(label.text.lowercased())
        }
    }

    /// One frame that has not been taken yet.
    private struct Snapshot {
        let time: Nanoseconds
        /// Whether a cut or another epoch lies between the frame before and this one.
        let beginsScene: Bool
        /// Where there is no result about this scene yet: all of the picture.
        let unknown: Box?
        let detections: [Box]
        let tracks: [FollowedPlace]
    }

    package var options: Options {
        didSet { if options.labels != oldValue.labels { beginEpoch() } }
    }

    private let tracker = Tracker()
    private var window: [Snapshot] = []
    /// The number of the first frame in the window.
    private var firstNumber = 0
    private var detections: [Box] = []
    /// The tracks in the frame before, and when they last had a detection that could have begun them.
    private var followed: [FollowedPlace] = []
    private var lastMeant: [Int: Nanoseconds] = [:]
    /// The detections since then that could begin a track.
    private var begun: Set<Box> = []
    /// Whether there is a result about this scene, and whether the next frame is its first.
    private var (hasAnswer, beginsScene) = (false, true)
    private var sceneBegan = Nanoseconds.min
    private var now: Nanoseconds = 0
    private var picture = Box(x: 0, y: 0, width: 0, height: 0)

    /// Tracks are redacted so long before their first detection, at most.
    private static let lead: Nanoseconds = 500_000_000
    /// The same for those that stand still at first: they have been there before.
    private static let leadOfStanding: Nanoseconds = 1_000_000_000
    /// What moves by a smaller share of its size within ``lead`` stands still.
    private static let leastMotion = 0.25
    /// A track is extrapolated to before its first detection only if it is seen so often: single false detections are not.
    private static let leastHits = 3
    /// A missed track is redacted for so long, and for as long again as it had been seen, up to ``Options/maxAge``.
    private static let patience: Nanoseconds = 300_000_000
    /// A missed track is redacted no longer than this if it is known not to be seen again for ``horizon``.
    private static let longestWithoutReturn: Nanoseconds = 500_000_000
    private static let horizon: Nanoseconds = 900_000_000
    /// Overlap (IoU) from which a detection with another label belongs to the track that is there, and for how long that is believed.
    private static let fit = 0.4
    private static let mostRenamed: Nanoseconds = 1_000_000_000

    package init(options: Options) { self.options = options }

    // MARK: Frames in

    package func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        now = time.clampedToRange
        picture = Box(x: 0, y: 0, width: Double(width), height: Double(height))
        detections.removeAll(keepingCapacity: true)
        guard options.follows else {
            hasAnswer = false
            return
        }
        tracker.options = TrackerOptions(
            maxAge: options.maxAge, minHits: 1, scoreThreshold: Self.scoreThreshold)
        tracker.advance(to: now, width: width, height: height, luma: luma)
        if tracker.isCut { (hasAnswer, beginsScene, sceneBegan) = (false, true, now) }
    }

    /// - Parameters:
    ///   - answer: all that the detector reports from ``Options/floor`` up, unfiltered.
    ///   - region: the region that was inferred; `nil` for the full frame.
    package func observe(_ answer: [Detection], seenAt time: Nanoseconds, region: InferredRegion?) {
        let time = time.clampedToRange
        guard time >= sceneBegan else { return }
        hasAnswer = true
        var offered: [Detection] = []
        for detection in answer where detection.score >= options.floor && detection.box.isFinite {
            let isMeant = options.mayMean(detection.label)
            let begins = isMeant && detection.score >= options.threshold
            if begins {
                begun.insert(detection.box)
                if time == now { detections.append(detection.box) }
            }
            // The tracker is to follow, not to judge: all that may begin a track is equally strong for it.
            if begins || detection.score >= options.threshold && isExpected(detection.box, at: time) {
                offered.append(Detection(box: detection.box, score: Self.strong))
            } else if isMeant {
                offered.append(Detection(box: detection.box, score: Self.weak))
            }
        }
        if options.follows { tracker.update(offered, seenAt: time, region: region) }
    }

    /// Whether a detection with another label may be what a track was called a moment ago.
    private func isExpected(_ box: Box, at time: Nanoseconds) -> Bool {
        followed.contains { time.since(lastMeant[$0.key] ?? .min) <= Self.mostRenamed && $0.box.iou(box) >= Self.fit }
    }

    /// What the tracker is told of scores: two values, on either side of its threshold.
    private static let (scoreThreshold, strong, weak) = (0.4, 0.9, 0.2)

    /// The frame is complete.
    ///
    /// - Returns: its number, to be taken by ``places(ofFrame:)``.
    package func endFrame() -> Int {
        let tracks = options.follows ? tracker.followedPlaces() : []
        lastMeant = Dictionary(
            uniqueKeysWithValues: tracks.map { track in
                (track.key, begun.contains(track.lastBox) ? track.lastSeen : lastMeant[track.key] ?? .min)
            })
        begun.removeAll(keepingCapacity: true)
        followed = tracks
        window.append(
            Snapshot(
                time: now, beginsScene: beginsScene, unknown: hasAnswer ? nil : picture, detections: detections,
                tracks: tracks))
        beginsScene = false
        return firstNumber + window.count - 1
    }

    /// All tracks end; frames that wait keep theirs.
    package func beginEpoch() {
        tracker.reset(reason: .flush)
        (followed, lastMeant) = ([], [:])
        (hasAnswer, beginsScene, sceneBegan) = (false, true, .min)
    }

    /// Forgets the frames that wait, too.
    package func removeAll() {
        beginEpoch()
        firstNumber += window.count
        window.removeAll()
    }

    // MARK: Places out

    /// Where something has to be redacted in a frame, as far as the frames up to now show; boxes without a margin. Frames are taken in order,
    /// and those before this one are forgotten.
    package func places(ofFrame number: Int) -> [Box] {
        guard number >= firstNumber, number < firstNumber + window.count else { return [picture] }
        window.removeFirst(number - firstNumber)
        firstNumber = number
        let frame = window.removeFirst()
        firstNumber += 1
        if let unknown = frame.unknown { return [unknown] }
        var places = frame.detections
        let later = window.prefix { !$0.beginsScene }
        for track in frame.tracks {
            if track.lastSeen >= frame.time {
                places.append(track.box)
            } else if let next = Self.nextSighting(of: track, in: later) {
                places.append(track.box)
                let share = Double(frame.time - track.lastSeen) / Double(next.lastSeen - track.lastSeen)
                places.append(track.lastBox.moved(towards: next.lastBox, by: share))
            } else if Self.isPatient(track, knownUntil: later.last?.time ?? frame.time, at: frame.time) {
                places.append(track.box)
            }
        }
        for (place, snapshot) in zip(later.indices, later) {
            for track in snapshot.tracks where track.firstSeen == snapshot.time && track.lastSeen == snapshot.time {
                if let box = Self.extrapolated(track, to: frame.time, from: later[place...]) { places.append(box) }
            }
        }
        return places
    }

    /// Whether a track that is missed, and not seen again in the frames that are known, is still redacted.
    private static func isPatient(_ track: FollowedPlace, knownUntil end: Nanoseconds, at time: Nanoseconds) -> Bool {
        guard let missed = track.missedFor else { return true }
        let longest = patience.adding(track.lastSeen - track.firstSeen)
        return missed <= (end.since(time) >= horizon ? min(longest, longestWithoutReturn) : longest)
    }

    private static func nextSighting(of track: FollowedPlace, in later: ArraySlice<Snapshot>) -> FollowedPlace? {
        for snapshot in later {
            guard let place = snapshot.tracks.first(where: { $0.key == track.key }) else { return nil }
            if place.lastSeen > track.lastSeen { return place }
        }
        return nil
    }

    /// Where a track was before its first detection, by the velocity that it shows after that: all of the places of its first detections,
    /// which often show a part of it. `nil` where it was not yet there.
    ///
    /// - Parameter later: the frame of its first detection, and those after that.
    private static func extrapolated(
        _ track: FollowedPlace, to time: Nanoseconds, from later: ArraySlice<Snapshot>
    ) -> Box? {
        var sightings = [track]
        for snapshot in later.dropFirst() where snapshot.time <= track.firstSeen.adding(lead) {
            guard let place = snapshot.tracks.first(where: { $0.key == track.key }) else { break }
            if place.lastSeen > sightings[sightings.count - 1].lastSeen { sightings.append(place) }
        }
        guard sightings.count >= leastHits, let last = sightings.last else { return nil }
        let (from, to, span) = (track.lastBox, last.lastBox, Double(last.lastSeen - track.firstSeen))
        // The lower edge: how much of the upper part is detected varies.
        let (across, down) = (to.centerX - from.centerX, to.maxY - from.maxY)
        let motion = max(abs(across) / to.width, abs(down) / to.height) * Double(lead) / span
        let stands = motion < leastMotion
        guard track.firstSeen - time <= (stands ? leadOfStanding : lead) else { return nil }
        let boxes = sightings.map { sighting in
            let back = Double(time - sighting.lastSeen) / span
            return stands ? sighting.lastBox : sighting.lastBox.offset(x: across * back, y: down * back)
        }
        return boxes.dropFirst().reduce(boxes[0]) { $0.union($1) }
    }
}

extension Box {
    fileprivate func moved(towards other: Box, by share: Double) -> Box {
        Box(
            minX: minX + share * (other.minX - minX), minY: minY + share * (other.minY - minY),
            maxX: maxX + share * (other.maxX - maxX), maxY: maxY + share * (other.maxY - maxY))
    }
}
