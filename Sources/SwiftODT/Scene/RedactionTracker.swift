/// Determines the areas to redact in each frame. Filters, thresholds and track-min-hits for reported objects have no
/// effect on redaction.
///
/// Every detection that may have one of the labels and has a score of at least ``Options/threshold`` is redacted in its
/// frame and begins a track. Two other kinds of detections can continue a track: detections with lower scores, and
/// detections with other labels near the track. The areas of a frame can be requested with a delay, after later frames
/// have been recorded (``places(ofFrame:)``). Tracks are then interpolated between detections, and extrapolated to the
/// time before their first detection.
///
/// For every frame in order, call ``advance(to:width:height:luma:)``, then ``observe(_:seenAt:region:)`` for each
/// result, then ``endFrame()``. The tracker is not thread-safe: use it from one thread at a time.
package final class RedactionTracker {
    /// The default of `privacy-threshold`.
    package static let usualThreshold = 0.2

    package struct Options: Equatable, Sendable {
        /// The labels to redact, in lower case. With an empty set, all detections are redacted.
        package var labels: Set<String>
        /// The minimum score of a detection that is redacted without an existing track, 0 to 1.
        package var threshold: Double
        package var follows: Bool
        package var maxAge: Nanoseconds

        package init(labels: Set<String>, threshold: Double, follows: Bool, maxAge: Nanoseconds) {
            (self.labels, self.threshold, self.follows, self.maxAge) = (labels, threshold, follows, maxAge)
        }

        /// The minimum score of a detection that can continue a track.
        package var floor: Double { threshold / 2 }

        /// Returns whether objects with this label are redacted. A detection without a label may be any object, so it
        /// is redacted, too.
        package func mayNeedRedaction(_ label: Label?) -> Bool {
            guard !labels.isEmpty, let name = label?.text.normalisedLabel, !name.isEmpty else { return true }
            return labels.contains(name)
        }
    }

    /// A recorded frame for which ``places(ofFrame:)`` has not been called yet.
    private struct Snapshot {
        let time: Nanoseconds
        /// Whether this frame is the first one after a scene cut or the start of an epoch.
        let beginsScene: Bool
        /// The area in which the objects are not determined yet: the full picture until the scene has its first
        /// full-frame result, then `nil`.
        let unknown: Box?
        let detections: [Box]
        let tracks: [TrackPosition]
    }

    package var options: Options {
        didSet { if options.labels != oldValue.labels { beginEpoch() } }
    }

    private let tracker = Tracker()
    private var window: [Snapshot] = []
    private var firstNumber = 0
    private var detections: [Box] = []
    private var followed: [TrackPosition] = []
    /// For each track key, the time of the latest detection that could have begun the track.
    private var lastQualified: [Int: Nanoseconds] = [:]
    /// The boxes of the detections since the previous frame that could have begun a track, because they have one of the
    /// labels and a sufficient score.
    private var qualifyingBoxes: Set<Box> = []
    /// Whether this scene has had a result of the full frame.
    private var hasResult = false
    private var beginsScene = true
    private var sceneBegan = Nanoseconds.min
    private var now: Nanoseconds = 0
    private var picture = Box(x: 0, y: 0, width: 0, height: 0)

    /// A track can be redacted before its first detection, but at most for this time.
    private static let leadTime: Nanoseconds = 500_000_000
    /// Replaces ``leadTime`` for a track that stands still at first. It is longer, because a standing object was
    /// probably there before.
    private static let leadTimeOfStanding: Nanoseconds = 1_000_000_000
    /// A track that moves less than this within ``leadTime``, as a fraction of its box's size, counts as standing
    /// still.
    private static let minimumMotion = 0.25
    /// A track is redacted before its first detection only if it has this number of detections within ``leadTime``.
    /// This excludes single false positives.
    private static let minimumHits = 3
    /// A missed track is redacted for the sum of this time and the time from its first to its latest detection. It is
    /// not redacted after the tracker has ended it (``Options/maxAge``).
    private static let minimumCoasting: Nanoseconds = 300_000_000
    /// If an object does not return, its missed track is redacted for at most this time. This limit applies only if the
    /// recorded frames extend at least ``horizon`` beyond the frame to redact.
    private static let longestWithoutReturn: Nanoseconds = 500_000_000
    private static let horizon: Nanoseconds = 900_000_000
    /// A detection with a label that is not redacted continues a redacted track if its IoU with the track is at least
    /// this value. Detectors sometimes change the label of an object.
    private static let minimumRelabelledIoU = 0.4
    /// The maximum time for which detections with other labels continue a track. It counts from the latest detection
    /// with one of the redacted labels.
    private static let maximumRelabelledTime: Nanoseconds = 1_000_000_000

    package init(options: Options) { self.options = options }

    // MARK: Input

    package func advance(to time: Nanoseconds, width: Int, height: Int, luma: LumaPlane?) {
        now = time.clampedToRange
        picture = Box(x: 0, y: 0, width: Double(width), height: Double(height))
        detections.removeAll(keepingCapacity: true)
        guard options.follows else {
            hasResult = false
            return
        }
        tracker.options = TrackerOptions(
            maxAge: options.maxAge, minHits: 1, scoreThreshold: Self.scoreThreshold)
        tracker.advance(to: now, width: width, height: height, luma: luma)
        if tracker.isCut { (hasResult, beginsScene) = (false, true) }
        // The tracker ignores results for frames before the scene. Such a result therefore must not end the redaction of
        // the full picture.
        if beginsScene { sceneBegan = now }
    }

    /// Applies the detector's result for the frame at `time`. `result` contains all detections with a score of at least
    /// ``Options/floor``, unfiltered. `region` is `nil` for the full frame.
    package func observe(_ result: [Detection], seenAt time: Nanoseconds, region: InferredRegion?) {
        let time = time.clampedToRange
        guard time >= sceneBegan else { return }
        // The result of a magnified region gives no information about the rest of the picture.
        hasResult = hasResult || region.map { $0.box.area >= 0.999 * picture.area } ?? true
        var offered: [Detection] = []
        for detection in result where detection.score >= options.floor && detection.box.isFinite {
            let mayNeedRedaction = options.mayNeedRedaction(detection.label)
            let begins = mayNeedRedaction && detection.score >= options.threshold
            if begins {
                qualifyingBoxes.insert(detection.box)
                if time == now { detections.append(detection.box) }
            }
            // The tracker only distinguishes two scores. Detections with the strong score can begin and continue
            // tracks. Detections with the weak score can only continue tracks.
            if begins || detection.score >= options.threshold && continuesRecentTrack(detection.box, at: time) {
                offered.append(Detection(box: detection.box, score: Self.strong))
            } else if mayNeedRedaction {
                offered.append(Detection(box: detection.box, score: Self.weak))
            }
        }
        if options.follows { tracker.update(offered, seenAt: time, region: region) }
    }

    /// Returns whether a detection with a label that is not redacted probably shows an object of a recent redacted
    /// track.
    private func continuesRecentTrack(_ box: Box, at time: Nanoseconds) -> Bool {
        followed.contains {
            time.since(lastQualified[$0.key] ?? .min) <= Self.maximumRelabelledTime
                && $0.box.iou(box) >= Self.minimumRelabelledIoU
        }
    }

    /// The score threshold of ``tracker``, and the strong and the weak score of the detections that it receives.
    private static let (scoreThreshold, strong, weak) = (0.4, 0.9, 0.2)

    /// Records the tracks of the frame. Returns the frame's number for ``places(ofFrame:)``.
    package func endFrame() -> Int {
        let tracks = options.follows ? tracker.trackPositions() : []
        lastQualified = Dictionary(
            uniqueKeysWithValues: tracks.map { track in
                (track.key, qualifyingBoxes.contains(track.lastBox) ? track.lastSeen : lastQualified[track.key] ?? .min)
            })
        qualifyingBoxes.removeAll(keepingCapacity: true)
        followed = tracks
        window.append(
            Snapshot(
                time: now, beginsScene: beginsScene, unknown: hasResult ? nil : picture, detections: detections,
                tracks: tracks))
        beginsScene = false
        return firstNumber + window.count - 1
    }

    /// Ends all tracks. Recorded frames keep their tracks.
    package func beginEpoch() {
        tracker.reset(reason: .flush)
        (followed, lastQualified) = ([], [:])
        (hasResult, beginsScene, sceneBegan) = (false, true, .min)
    }

    package func removeAll() {
        beginEpoch()
        firstNumber += window.count
        window.removeAll()
    }

    // MARK: Redacted areas

    /// Returns the boxes to redact in a frame, without a margin. Considers all recorded frames, including later ones.
    ///
    /// Frames must be requested in order. A call drops all earlier frames. The result is the full picture if the frame
    /// is not recorded, or if the scene had no full-frame result by the end of the frame.
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
            } else if Self.isStillRedacted(track, knownUntil: later.last?.time ?? frame.time, at: frame.time) {
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

    /// Returns whether a missed track is still redacted at `time`, if the recorded frames contain no new detection of
    /// it. `end` is the time of the last recorded frame of the scene.
    private static func isStillRedacted(_ track: TrackPosition, knownUntil end: Nanoseconds, at time: Nanoseconds)
        -> Bool
    {
        guard let missed = track.missedFor else { return true }
        let longest = minimumCoasting.adding(track.lastSeen - track.firstSeen)
        return missed <= (end.since(time) >= horizon ? min(longest, longestWithoutReturn) : longest)
    }

    private static func nextSighting(of track: TrackPosition, in later: ArraySlice<Snapshot>) -> TrackPosition? {
        for snapshot in later {
            guard let place = snapshot.tracks.first(where: { $0.key == track.key }) else { return nil }
            if place.lastSeen > track.lastSeen { return place }
        }
        return nil
    }

    /// Returns the position of a track at a time before its first detection, extrapolated with its later velocity.
    /// `nil` if there are too few detections, or if the time is too early. `later` contains the frames from the first
    /// detection on.
    ///
    /// A first detection often contains only a part of the object, so the box is the union of the boxes that are
    /// extrapolated from several detections.
    private static func extrapolated(
        _ track: TrackPosition, to time: Nanoseconds, from later: ArraySlice<Snapshot>
    ) -> Box? {
        var sightings = [track]
        for snapshot in later.dropFirst() where snapshot.time <= track.firstSeen.adding(leadTime) {
            guard let place = snapshot.tracks.first(where: { $0.key == track.key }) else { break }
            if place.lastSeen > sightings[sightings.count - 1].lastSeen { sightings.append(place) }
        }
        guard sightings.count >= minimumHits, let last = sightings.last else { return nil }
        let (from, to, span) = (track.lastBox, last.lastBox, Double(last.lastSeen - track.firstSeen))
        // Measures the vertical displacement at the lower edge, because the position of the upper edge depends on the
        // detected part of the object.
        let (across, down) = (to.centerX - from.centerX, to.maxY - from.maxY)
        let motion = max(abs(across) / to.width, abs(down) / to.height) * Double(leadTime) / span
        let stands = motion < minimumMotion
        guard track.firstSeen - time <= (stands ? leadTimeOfStanding : leadTime) else { return nil }
        let boxes = sightings.map { sighting in
            let back = Double(time - sighting.lastSeen) / span
            return stands ? sighting.lastBox : sighting.lastBox.offset(x: across * back, y: down * back)
        }
        return boxes.dropFirst().reduce(boxes[0]) { $0.union($1) }
    }
}

extension String {
    /// The text in lower case, without leading and trailing white space and invisible characters (such as U+200B). Only
    /// redaction ignores these; filters and zones compare lower case only.
    package var normalisedLabel: String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
        }
        var scalars = unicodeScalars.drop(while: isBlank)
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return String(scalars).lowercased()
    }
}

extension Box {
    fileprivate func moved(towards other: Box, by share: Double) -> Box {
        Box(
            minX: minX + share * (other.minX - minX), minY: minY + share * (other.minY - minY),
            maxX: maxX + share * (other.maxX - maxX), maxY: maxY + share * (other.maxY - maxY))
    }
}

/// The position of one track in the latest frame, whether the track is reported or not.
struct TrackPosition {
    var key: Int
    /// The box in buffer pixels, propagated to the latest frame, not clipped to the picture.
    var box: Box
    var firstSeen: Nanoseconds
    var lastSeen: Nanoseconds
    var lastBox: Box
    /// The time for which the track has been missed. `nil` if the latest result that covered the track detected it.
    var missedFor: Nanoseconds?
}

extension Tracker {
    func trackPositions() -> [TrackPosition] {
        state.settle(followingImage: true)
        let time = state.settledTime
        return state.tracklets.map { tracklet in
            TrackPosition(
                key: tracklet.key,
                box: tracklet.shownBox(at: time)
                    .attached(
                        toBordersOf: time > tracklet.lastSeen ? tracklet.lastBox : nil, state.width, state.height,
                        limit: 100),
                firstSeen: tracklet.firstSeen,
                lastSeen: tracklet.lastSeen, lastBox: tracklet.lastBox,
                missedFor: tracklet.misses > 0 ? time - tracklet.unseenSince : nil)
        }
    }
}
