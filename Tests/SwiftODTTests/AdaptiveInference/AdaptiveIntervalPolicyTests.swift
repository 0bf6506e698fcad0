import Testing

@testable import SwiftODT

/// Protects when a scene is looked at where nobody says how often: rarely where nothing happens, at once where something does.
@Suite struct AdaptiveIntervalPolicyTests {
    /// A scene as it is played: its pictures, and what is known of its objects once a frame is finished.
    private struct PlaybackState {
        var rate = 10.0
        var seconds = 10.0
        /// Things with texture, in pixels of the plane.
        var objects: (Double) -> [Box] = { _ in [] }
        /// What the detector sees and the tracker knows of them.
        var known: (Double) -> [TrackerSnapshot.ObjectState] = { _ in [] }
        /// A cut: all that was answered before has ended.
        var ends = Double.infinity
        /// How many frames come before a look is answered; live, nobody looks meanwhile.
        var delay = 0
        var light: (Double) -> Int = { _ in 0 }
        /// Another picture altogether.
        var scene: (Double) -> Int = { _ in 0 }

        struct Look: Equatable {
            let seconds: Double
            let reason: InferencePolicy.Reason
        }

        func inferences() -> [Look] {
            var policy = InferencePolicy()
            var dice = RandomNumbers(7)
            var inferences: [Look] = []
            var answered: Double?
            var due = 0
            for frame in 0..<Int(rate * seconds) {
                let now = Double(frame) / rate
                let time = Nanoseconds(now * 1e9)
                let plane = plane(at: now, &dice)
                let frameState = InferencePolicy.FrameState(time: time, isDetectorIdle: frame >= due)
                if let reason = policy.reasonToInfer(frameState, in: plane, at: .auto) {
                    inferences.append(Look(seconds: now, reason: reason))
                    due = frame + delay
                }
                if frame >= due { answered = inferences.last?.seconds }
                let isOver = now >= ends && answered.map { $0 < ends } ?? false
                let known = isOver ? [] : known(now, since: answered)
                policy.note(
                    TrackerSnapshot(
                        answered: isOver ? nil : answered.map { Nanoseconds($0 * 1e9) },
                        lastCut: now >= ends ? Nanoseconds(ends * 1e9) : nil, places: known))
            }
            return inferences
        }

        private func known(_ now: Double, since answered: Double?) -> [TrackerSnapshot.ObjectState] {
            guard delay > 0, let answered else { return known(now) }
            return zip(known(now), known(answered)).map { place, previous in
                var place = place
                place.detectedBox = previous.box
                return place
            }
        }

        func plane(at time: Double) -> LumaPlane {
            var dice = RandomNumbers(7)
            return plane(at: time, &dice)
        }

        /// 160 x 96 pixels, with a camera's noise.
        private func plane(at time: Double, _ dice: inout RandomNumbers) -> LumaPlane {
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 160 * 96)
            let (light, scene) = (light(time), scene(time))
            for y in 0..<96 {
                for x in 0..<160 {
                    let level = 60 + (x * (7 + 13 * scene) + y * 11) % 83 + light + Int.random(in: -2...2, using: &dice)
                    pixels[y * 160 + x] = UInt8(clamping: level)
                }
            }
            for box in objects(time) {
                let inside = box.clipped(width: 160, height: 96)
                for y in Int(inside.minY)..<Int(inside.maxY) {
                    for x in Int(inside.minX)..<Int(inside.maxX) {
                        pixels[y * 160 + x] = UInt8(clamping: 170 + (x * 5 + y * 3) % 40 + light)
                    }
                }
            }
            return LumaPlane(
                adopting: pixels, width: 160, height: 96, scaleX: 2, scaleY: 2, time: Nanoseconds(time * 1e9))
        }
    }

    /// A thing that goes to the right, 20 pixels of the plane a second, and is 20 x 40 large.
    private static func walker(_ time: Double) -> Box { Box(x: 5 + 14 * time, y: 30, width: 20, height: 40) }

    /// The same as an object that is known, in buffer pixels.
    private static func place(_ time: Double, error: Double = 0.05, isConfirmed: Bool = true) -> TrackerSnapshot.ObjectState {
        TrackerSnapshot.ObjectState(
            box: walker(time).scaled(x: 2, y: 2), isConfirmed: isConfirmed,
            carried: TrackerSnapshot.PropagationQuality(over: 500_000_000, error: error))
    }

    /// What a camera sees at night: noise is not motion, and nothing is looked for long.
    @Test(arguments: [5.0, 10, 30, 60]) func refreshIntervalGrowsInStillSceneAtAnyFrameRate(_ rate: Double) {
        let inferences = PlaybackState(rate: rate, seconds: 20).inferences()
        #expect(inferences.map(\.reason) == [.start, .refresh, .refresh, .refresh, .refresh, .refresh])
        #expect(inferences.map { $0.seconds.rounded() } == [0, 1, 4, 8, 12, 16])
    }

    @Test func unexplainedMotionIsInferredImmediatelyWithBackOff() throws {
        let inferences = PlaybackState(seconds: 9, objects: { $0 < 4.95 ? [] : [Self.walker($0 - 5)] }).inferences()
        let first = try #require(inferences.first { $0.reason == .motion })
        #expect(abs(first.seconds - 5) < 0.01)
        let later = inferences.filter { $0.seconds > 5 }
        // A newcomer whom the detector sees at last is told of a fifth of a second late at most: it is looked at each 0.3 s.
        #expect(later.count >= 11 && later.count <= 20)
        // Not in frame after frame: a look that found nothing is most likely followed by another.
        #expect(zip(later, later.dropFirst()).allSatisfy { $1.seconds - $0.seconds > 0.15 })
        #expect(zip(later, later.dropFirst()).allSatisfy { $1.seconds - $0.seconds < 0.35 })
    }

    /// Whoever comes is taken for something else at first, or not seen: a look that falls on that is soon followed by another.
    /// Leaves, water, a lamp that blinks: looked at in vain for seconds, it is looked at about once a second. Whoever comes elsewhere is news,
    /// and so is what moves there once it has been calm.
    @Test func recurringMotionIsInferredLessOften() {
        func objects(_ time: Double) -> [Box] {
            let blinks = time < 20 || time > 26
            let lamp = blinks && Int(time * 4) % 2 == 0 ? [Box(x: 20, y: 20, width: 14, height: 14)] : []
            return lamp + (time > 14 && time < 16 ? [Box(x: 60 + 40 * (time - 14), y: 50, width: 12, height: 30)] : [])
        }
        let inferences = PlaybackState(rate: 25, seconds: 28, objects: objects).inferences()
        func count(_ span: Range<Double>) -> Int { inferences.count { span.contains($0.seconds) } }
        #expect(count(1..<3) >= 6)
        #expect(count(8..<13) <= 8, "\(inferences)")
        #expect(inferences.contains { (14..<14.3).contains($0.seconds) && $0.reason == .motion })
        #expect(inferences.contains { (26..<26.3).contains($0.seconds) && $0.reason == .motion })
        #expect(count(26..<28) >= 6)
    }

    @Test func newMotionIsInferredMoreOftenAtFirst() {
        let inferences = PlaybackState(rate: 50, seconds: 9, objects: { $0 < 4.99 ? [] : [Self.walker($0 - 5)] }).inferences()
        let gaps = zip(inferences, inferences.dropFirst()).filter { $0.0.seconds > 4.99 }
            .map { (at: $1.seconds, size: $1.seconds - $0.seconds) }
        #expect(gaps.contains { $0.at < 6 } && gaps.allSatisfy { $0.at >= 6 || $0.size < 0.15 })
        #expect(gaps.contains { $0.at > 6.5 && $0.size > 0.21 })
    }

    /// Two frames that follow each other show the same: what comes with the frame after a look waits for a moment, and no longer.
    @Test func motionAfterInferenceWaitsForMinimumPause() throws {
        let inferences = PlaybackState(rate: 60, seconds: 2, objects: { $0 < 1.01 ? [] : [Self.walker($0)] }).inferences()
        #expect(inferences.prefix(2).map(\.reason) == [.start, .refresh])
        let first = try #require(inferences.first { $0.reason == .motion })
        #expect(abs(first.seconds - inferences[1].seconds - 0.1) < 0.001)
    }

    @Test func knownObjectIsExtrapolatedWhileAccurate() {
        let well = PlaybackState(seconds: 8, objects: { [Self.walker($0)] }, known: { [Self.place($0)] }).inferences()
        let badly = PlaybackState(seconds: 8, objects: { [Self.walker($0)] }, known: { [Self.place($0, error: 0.5)] }).inferences()
        #expect(well.count <= 6)
        #expect(well.allSatisfy { [.start, .drift, .refresh].contains($0.reason) })
        #expect(badly.count >= 14 && badly.count <= 20)
    }

    /// Somebody has gone, and the box has stayed behind, on something else.
    @Test func appearanceChangeTriggersInference() {
        func inferences(similarity: Double) -> [PlaybackState.Look] {
            var standing = Self.place(1, error: 0.02)
            return PlaybackState(
                seconds: 4, objects: { $0 < 1.95 ? [Self.walker(1)] : [] },
                known: {
                    standing.similarity = $0 < 1.95 ? 1 : similarity
                    standing.lastSeen = 0
                    return [standing]
                }
            ).inferences()
        }
        #expect(inferences(similarity: 0.3).first { $0.reason == .appearanceChange }?.seconds == 2.1)
        #expect(!inferences(similarity: 0.8).contains { $0.reason == .appearanceChange })
    }

    /// Two who pass each other are easily taken for each other.
    @Test func approachingObjectsAreInferredMoreOften() {
        let alone = PlaybackState(seconds: 6, objects: { [Self.walker($0)] }, known: { [Self.place($0)] }).inferences()
        let two = PlaybackState(
            seconds: 6, objects: { [Self.walker($0)] },
            known: { [Self.place($0), TrackerSnapshot.ObjectState(box: Box(x: 90, y: 60, width: 50, height: 80))] }
        ).inferences()
        #expect(two.count >= alone.count + 5)
        #expect(two.count { $0.reason == .drift } >= 5)
    }

    /// Those who are near each other are looked at twice as often where there are frames to spare: at 10 frames a second at each second one,
    /// at 30 ten times a second.
    @Test(arguments: [(10.0, 0.2), (30, 0.1)])
    func overlappingObjectsAreInferredEveryFrame(_ rate: Double, _ pause: Double) {
        let other = TrackerSnapshot.ObjectState(
            box: Box(x: 20, y: 60, width: 50, height: 80), carried: TrackerSnapshot.PropagationQuality(over: 500_000_000, error: 0.02))
        let inferences = PlaybackState(
            rate: rate, seconds: 2, objects: { [Self.walker($0)] }, known: { [Self.place($0, error: 0.02), other] }
        ).inferences().filter { $0.seconds < 1 }
        #expect(inferences.count == Int((1 / pause).rounded()))
        for (one, next) in zip(inferences, inferences.dropFirst()) { #expect(abs(next.seconds - one.seconds - pause) < 0.001) }
    }

    @Test func tentativeTracksAreInferredUntilConfirmedAndMissedOnesBackOff() {
        let newcomer = PlaybackState(
            seconds: 3, objects: { [Self.walker($0)] },
            known: { $0 < 0.95 ? [] : [Self.place($0, isConfirmed: $0 > 1.45)] }
        ).inferences().filter { $0.reason == .tentative }
        // Known after the frame at 1.0 s, proved after that at 1.5.
        #expect(newcomer.map { ($0.seconds * 10).rounded() } == [11, 12, 13, 14, 15])
        let lost = TrackerSnapshot.ObjectState(box: Box(x: 9, y: 9, width: 30, height: 30), misses: 3)
        let missed = PlaybackState(seconds: 4, known: { _ in [lost] }).inferences().filter { $0.reason == .missed }
        #expect(missed.count >= 8 && missed.count <= 10)
    }

    /// A thing that stands there, named and not named again by a detector that is not sure: the same picture gets the same answer.
    @Test func unchangedTentativeTrackCanWait() {
        let inferences = PlaybackState(seconds: 5, known: { $0 < 0.95 ? [] : [Self.place(1, isConfirmed: false)] }).inferences()
        #expect(inferences.map(\.reason) == [.start, .refresh, .tentative, .tentative, .tentative])
        #expect(inferences.map { $0.seconds.rounded() } == [0, 1, 2, 3, 4])
    }

    /// A bus that fills the picture, and somebody who comes before it. Where the same box has come from elsewhere it moves itself.
    @Test(arguments: [false, true]) func motionInFrontOfLargeObjectIsUnexplained(_ stands: Bool) {
        let inferences = PlaybackState(
            seconds: 6, objects: { $0 < 4.95 ? [] : [Box(x: 50, y: 30, width: 20, height: 40)] },
            known: {
                let right = stands || $0 < 4.85 ? 0.0 : 30
                return [
                    TrackerSnapshot.ObjectState(
                        box: Box(x: 20 + right, y: 8, width: 240, height: 180),
                        carried: TrackerSnapshot.PropagationQuality(over: 500_000_000, error: 0.02))
                ]
            }
        ).inferences()
        #expect(inferences.contains(.init(seconds: 5, reason: .motion)) == stands)
    }

    /// Two scenes that resemble each other: only the tracker has seen the cut, after the frame it comes with.
    @Test func sceneCutIsInferredOnNextFrame() {
        let inferences = PlaybackState(seconds: 3, ends: 1.95).inferences()
        #expect(inferences.first { $0.seconds > 1.5 } == .init(seconds: 2.1, reason: .sceneChange))
        #expect(inferences.count { $0.reason == .sceneChange } == 1)
    }

    @Test func sceneCutIsInferredAndLightChangeIsIgnored() {
        let cut = PlaybackState(seconds: 6, scene: { $0 < 4.55 ? 0 : 1 }).inferences()
        #expect(cut.contains(.init(seconds: 4.6, reason: .sceneChange)))
        let light = PlaybackState(seconds: 8, light: { $0 < 3 ? 0 : 40 }).inferences()
        #expect(light.map(\.reason) == [.start, .refresh, .refresh])
    }

    /// Planes seldom come out even in cells: what moves along the edges that are left is seen all the same.
    @Test(arguments: [(width: 173, height: 96), (160, 109)]) func motionAtPictureEdgesIsDetected(
        _ size: (width: Int, height: Int)
    ) {
        var policy = InferencePolicy()
        var reasons: [InferencePolicy.Reason] = []
        for frame in 0..<50 {
            let time = Nanoseconds(frame) * 40_000_000
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: size.width * size.height)
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let (along, across) = size.width > 160 ? (y, size.width - x) : (x, size.height - y)
                    let isThere = across <= 12 && along / 14 == frame / 8
                    pixels[y * size.width + x] = isThere ? 230 : UInt8(60 + (x * 7 + y * 11) % 83)
                }
            }
            let plane = LumaPlane(
                adopting: pixels, width: size.width, height: size.height, scaleX: 2, scaleY: 2, time: time)
            if let reason = policy.reasonToInfer(.init(time: time, isDetectorIdle: true), in: plane, at: .auto) {
                reasons.append(reason)
            }
            policy.note(TrackerSnapshot(answered: time, places: []))
        }
        #expect(reasons.contains(.motion))
    }

    /// Where noise is learnt from frames, a slow camera takes long to know its own.
    @Test(arguments: [5.0, 60]) func noiseEstimateIsIndependentOfFrameRate(_ rate: Double) {
        var change = FrameDifference()
        var dice = RandomNumbers(3)
        func plane() -> LumaPlane {
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 * 64)
            for place in 0..<64 * 64 { pixels[place] = UInt8(120 + Int.random(in: -9...9, using: &dice)) }
            return LumaPlane(adopting: pixels, width: 64, height: 64, scaleX: 1, scaleY: 1, time: 0)
        }
        change.remember(plane())
        for _ in 0..<Int(2 * rate) { _ = change.compare(plane(), after: 1 / rate) }
        #expect(change.count == 0)
    }

    /// A camera that turns after somebody large: what little is left of the background tells.
    @Test func cameraMotionIsDetectedBehindLargeObjects() {
        let near = TrackerSnapshot.ObjectState(
            box: Box(x: 0, y: 0, width: 200, height: 192), carried: TrackerSnapshot.PropagationQuality(over: 500_000_000, error: 0.02))
        let inferences = PlaybackState(seconds: 2, known: { _ in [near] }, scene: { Int($0 * 10) }).inferences()
        #expect(inferences.map(\.reason) == [.start] + Array(repeating: .sceneChange, count: 19))
    }

    /// What has little texture hardly changes while a camera turns; where it does not turn, so little is no new scene.
    @Test func cameraMotionContinuesOverLowTexture() {
        func inferences(from start: Double) -> [PlaybackState.Look] {
            let calm = Box(x: 0, y: 0, width: 112, height: 96)
            return PlaybackState(seconds: 3, objects: { $0 < start ? [] : [calm] }, scene: { Int($0 * 10) }).inferences()
        }
        #expect(inferences(from: 1).dropFirst().allSatisfy { $0.reason == .sceneChange } && inferences(from: 1).count == 30)
        #expect(!inferences(from: 0).contains { $0.reason == .sceneChange })
    }

    /// Before a camera that goes on moving the next frame is looked at whatever this one shows; once it stops, answers count again.
    @Test func everyFrameInferenceNeedsNoResult() {
        let scenes = (0..<12).map { min($0, 6) }
        var policy = InferencePolicy()
        var reasons: [InferencePolicy.Reason?] = []
        var unanswered: TrackerSnapshot?
        for (number, scene) in scenes.enumerated() {
            let time = Nanoseconds(number) * 100_000_000
            let play = PlaybackState(scene: { _ in scene })
            reasons.append(policy.reasonToInfer(.init(time: time, isDetectorIdle: true), in: play.plane(at: 0), at: .auto))
            // What the frame before has shown is known by now, what this one does only where it is waited for.
            if let unanswered { policy.note(unanswered) }
            unanswered = nil
            let snapshot = TrackerSnapshot(
                answered: reasons.last == .some(nil) ? nil : time,
                places: [TrackerSnapshot.ObjectState(box: Box(x: 4, y: 4, width: 40, height: 40), isConfirmed: false)])
            guard snapshot.answered != nil else { continue }
            if policy.isNextInferenceCertain { unanswered = snapshot } else { policy.note(snapshot) }
        }
        #expect(reasons.prefix(7) == [.start, .sceneChange, .sceneChange, .sceneChange, .sceneChange, .sceneChange, .sceneChange])
        #expect(reasons[7] == nil)
        // Nothing changes any more, so that whoever is new can wait.
        #expect(reasons[8...].allSatisfy { $0 == nil })
        #expect(!policy.isNextInferenceCertain)
    }

    /// Live, the first answer is there one frame before what it says is known; it is no other scene until then.
    @Test func firstResultIsAwaited() {
        let inferences = PlaybackState(seconds: 3, delay: 4).inferences()
        #expect(inferences.map(\.reason) == [.start, .refresh])
    }

    /// What somebody who walks has uncovered since a look is where they were in the picture that was looked at, however late the answer.
    @Test func lateResultsExplainMotion() {
        let inferences = PlaybackState(
            rate: 25, seconds: 6, objects: { [Self.walker(2 * $0)] }, known: { [Self.place(2 * $0)] }, delay: 10
        ).inferences()
        #expect(inferences.allSatisfy { [.start, .drift, .refresh].contains($0.reason) }, "\(inferences)")
    }

    /// Live, an answer is there before its frame is finished: nobody looks again until what it says is known.
    @Test func noInferenceBeforePreviousResult() {
        var policy = InferencePolicy()
        let plane = SyntheticScene().plane(at: 0)
        #expect(policy.reasonToInfer(.init(time: 0, isDetectorIdle: true), in: plane, at: .auto) == .start)
        policy.note(TrackerSnapshot(answered: 0, places: []))
        let second = InferencePolicy.FrameState(time: 1_100_000_000, isDetectorIdle: true)
        #expect(policy.reasonToInfer(second, in: plane, at: .auto) == .refresh)
        policy.note(TrackerSnapshot(answered: 0, places: []))
        #expect(policy.reasonToInfer(.init(time: 1_200_000_000, isDetectorIdle: true), in: plane, at: .auto) == nil)
    }

    /// Pictures that say nothing are looked at: of another size than before, too small, or none.
    @Test(arguments: [[nil], [(160, 96), (96, 160)], [(15, 200)]] as [[(width: Int, height: Int)?]])
    func missingLumaPlaneTriggersInference(_ sizes: [(width: Int, height: Int)?]) {
        var policy = InferencePolicy()
        for number in 0..<5 {
            let time = Nanoseconds(number) * 100_000_000
            let plane = sizes[number % sizes.count].map { size in
                let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: size.width * size.height)
                pixels.initialize(repeating: 100)
                return LumaPlane(
                    adopting: pixels, width: size.width, height: size.height, scaleX: 1, scaleY: 1, time: time)
            }
            #expect(policy.reasonToInfer(.init(time: time, isDetectorIdle: true), in: plane, at: .auto) == .start)
            policy.note(TrackerSnapshot(answered: time, places: []))
        }
    }
}
