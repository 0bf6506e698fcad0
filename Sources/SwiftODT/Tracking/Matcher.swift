/// Matches a detector's answer with the tracks, in stages: strong detections first, then weak ones, then the places
/// where objects were last seen, then tracks on probation.
struct Matcher {
    /// The detections that came through the sieve; what ``pairs`` and ``newcomers`` count in.
    var detections: ContiguousArray<Detection> { sieve.accepted }
    private(set) var pairs: ContiguousArray<Association.Pair> = []
    /// Strong detections that belong to no track.
    private(set) var newcomers: ContiguousArray<Int> = []
    private(set) var isTrackMatched: ContiguousArray<Bool> = []
    /// How far the camera moved everything away from the predictions.
    private(set) var shift = SIMD2<Double>.zero

    private var sieve = DetectionSieve()
    private var association = Association()
    private var camera = CameraMotion()
    private var isTaken: ContiguousArray<Bool> = []
    private var isShown: ContiguousArray<Bool> = []
    private var shownLeft = 0
    private var youngLeft = 0
    private var strongLeft = 0
    private var weakLeft = 0
    private var threshold = 0.0
    private var patience: Nanoseconds = 0
    private var rows: ContiguousArray<Int> = []
    private var columns: ContiguousArray<Int> = []

    mutating func match(
        _ answer: [Detection], with tracks: ContiguousArray<Tracklet>, at time: Nanoseconds, options: TrackerOptions
    ) {
        sieve.sift(answer)
        pairs.removeAll(keepingCapacity: true)
        isTaken.removeAll(keepingCapacity: true)
        isTaken.append(contentsOf: repeatElement(false, count: detections.count))
        isTrackMatched.removeAll(keepingCapacity: true)
        isTrackMatched.append(contentsOf: repeatElement(false, count: tracks.count))
        isShown.removeAll(keepingCapacity: true)
        threshold = options.scoreThreshold
        patience = options.maxAge
        count(tracks)
        findShift(tracks, at: time)
        pass(.strong, tracks, at: time, shown: true, strong: true)
        pass(.weak, tracks, at: time, shown: true, strong: false)
        pass(.reappearing, tracks, at: time, shown: true, strong: true)
        pass(.young, tracks, at: time, shown: false, strong: true)
        newcomers.removeAll(keepingCapacity: true)
        if strongLeft == 0 { return }
        for index in detections.indices
        where !isTaken[index] && detections[index].score >= threshold && !isPart(index) { newcomers.append(index) }
        // The surest get the first ids.
        let detections = detections
        newcomers.sort { detections[$0].score > detections[$1].score }
    }

    /// Finds rough pairs, and from them how far the camera moved; twice where it did, as a shift makes for better pairs.
    private mutating func findShift(_ tracks: ContiguousArray<Tracklet>, at time: Nanoseconds) {
        shift = .zero
        for _ in 0..<2 {
            choose(shown: true, strong: true)
            thinRows(to: 200)
            guard rows.count >= CameraMotion.fewest, columns.count >= CameraMotion.fewest else { return }
            association.match(tracks, rows, with: detections, columns, at: time, rule: .camera, shift: shift)
            camera.begin()
            for pair in association.pairs where tracks[pair.track].misses == 0 && tracks[pair.track].hits > 2 {
                let (seen, expected) = (detections[pair.detection].box, tracks[pair.track].filter.position)
                camera.add(x: seen.centerX - expected.x, y: seen.centerY - expected.y)
            }
            shift = camera.estimate()
            if abs(shift.x) + abs(shift.y) < 1 { return }
        }
    }

    /// A crowd agrees on the camera's motion long before all have been asked.
    private mutating func thinRows(to most: Int) {
        let every = (rows.count + most - 1) / most
        if every <= 1 { return }
        var kept = 0
        for index in stride(from: 0, to: rows.count, by: every) {
            rows[kept] = rows[index]
            kept += 1
        }
        rows.removeLast(rows.count - kept)
    }

    /// One stage: free tracks and free detections of some kind.
    private mutating func pass(
        _ rule: Association.Rule, _ tracks: ContiguousArray<Tracklet>, at time: Nanoseconds, shown: Bool,
        strong: Bool
    ) {
        if (shown ? shownLeft : youngLeft) == 0 || (strong ? strongLeft : weakLeft) == 0 { return }
        choose(shown: shown, strong: strong)
        // Weak detections keep what strong ones have spoken for, long enough. Others have most likely never been there.
        if !strong {
            rows.removeAll {
                time - tracks[$0].lastStrong > patience && tracks[$0].lastStrong - tracks[$0].firstSeen < patience
            }
        }
        if rows.isEmpty || columns.isEmpty { return }
        association.match(tracks, rows, with: detections, columns, at: time, rule: rule, shift: shift)
        for pair in association.pairs {
            isTaken[pair.detection] = true
            isTrackMatched[pair.track] = true
            pairs.append(pair)
        }
        let found = association.pairs.count
        if shown { shownLeft -= found } else { youngLeft -= found }
        if strong { strongLeft -= found } else { weakLeft -= found }
    }

    /// Tells what there is to match: a stage with nothing on one side is no stage.
    private mutating func count(_ tracks: ContiguousArray<Tracklet>) {
        (shownLeft, strongLeft) = (0, 0)
        for index in tracks.indices {
            isShown.append(tracks[index].isShown)
            if tracks[index].isShown { shownLeft += 1 }
        }
        for index in detections.indices where detections[index].score >= threshold { strongLeft += 1 }
        youngLeft = tracks.count - shownLeft
        weakLeft = detections.count - strongLeft
    }

    private mutating func choose(shown: Bool, strong: Bool) {
        rows.removeAll(keepingCapacity: true)
        columns.removeAll(keepingCapacity: true)
        for index in isShown.indices where !isTrackMatched[index] && isShown[index] == shown { rows.append(index) }
        for index in detections.indices where !isTaken[index] && (detections[index].score >= threshold) == strong {
            columns.append(index)
        }
    }

    /// Whether the detection is a second box on an object that already has one.
    private func isPart(_ index: Int) -> Bool {
        pairs.contains { detections[$0.detection].box.iou(detections[index].box) > 0.55 }
    }
}
