import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests adaptive inference: inference is rare while nothing changes, and immediate when something does.
@Suite struct AdaptiveIntervalPolicyTests {
    /// A simulated stream: its frames, and the tracker's snapshot after each frame.
    private struct PlaybackState {
        var rate = 10.0
        var seconds = 10.0
        var isRedacted = false
        /// Textured objects, in pixels of the luma plane.
        var objects: (Double) -> [Box] = { _ in [] }
        /// The tracker's object states, as the detector would produce them.
        var known: (Double) -> [TrackerSnapshot.ObjectState] = { _ in [] }
        /// The time of a scene cut, in seconds. Earlier results no longer count.
        var ends = Double.infinity
        /// The latency of an inference in frames; no other inference starts in the meantime.
        var delay = 0
        var light: (Double) -> Int = { _ in 0 }
        /// The index of the scene; another index is a different picture.
        var scene: (Double) -> Int = { _ in 0 }

        struct Inference: Equatable {
            let seconds: Double
            let reason: InferencePolicy.Reason
        }

        /// Plays the stream and calls `observe` with the time of each frame and the policy after its decision.
        func inferences(_ observe: (Double, InferencePolicy) -> Void = { _, _ in }) -> [Inference] {
            var policy = InferencePolicy()
            var dice = RandomNumbers(7)
            var inferences: [Inference] = []
            var answered: Double?
            var due = 0
            for frame in 0..<Int(rate * seconds) {
                let now = Double(frame) / rate
                let time = Nanoseconds(now * 1e9)
                let plane = plane(at: now, &dice)
                let frameState = InferencePolicy.FrameState(
                    time: time, isDetectorIdle: frame >= due, isRedacted: isRedacted)
                if let reason = policy.reasonToInfer(frameState, in: plane, at: .auto) {
                    inferences.append(Inference(seconds: now, reason: reason))
                    due = frame + delay
                }
                observe(now, policy)
                if frame >= due { answered = inferences.last?.seconds }
                let isOver = now >= ends && answered.map { $0 < ends } ?? false
                let known = isOver ? [] : known(now, since: answered)
                policy.note(
                    TrackerSnapshot(
                        lastResult: isOver ? nil : answered.map { Nanoseconds($0 * 1e9) },
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

        /// Returns a luma plane of 160 x 96 pixels with camera noise.
        private func plane(at time: Double, _ dice: inout RandomNumbers) -> LumaPlane {
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 160 * 96)
            let light = light(time)
            PixelLoops.noisyTexture(in: pixels, width: 160, slope: 7 + 13 * scene(time), light: light, &dice)
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

    /// The box of an object of 20 x 40 pixels that moves right by 14 pixels of the luma plane per second.
    private static func walker(_ time: Double) -> Box { Box(x: 5 + 14 * time, y: 30, width: 20, height: 40) }

    /// The tracker's state of this object, in buffer pixels.
    private static func place(_ time: Double, error: Double = 0.05, isConfirmed: Bool = true)
        -> TrackerSnapshot.ObjectState
    {
        TrackerSnapshot.ObjectState(
            box: walker(time).scaled(x: 2, y: 2), isConfirmed: isConfirmed,
            carried: (500_000_000, error))
    }

    /// A single inference may miss objects of a new scene.
    @Test func refreshComesSoonAfterSceneChange() {
        let inferences = PlaybackState(seconds: 24, scene: { $0 < 20 ? 0 : 1 }).inferences()
        #expect(inferences.map(\.seconds).filter { $0 >= 20 }.prefix(2) == [20, 21])
    }

    /// The gate before the decoder passes a key frame every 2 s.
    @Test func refreshIntervalGrowsFurtherBetweenKeyFrames() {
        let inferences = PlaybackState(rate: 0.5, seconds: 120).inferences()
        #expect(inferences.map(\.seconds) == [0, 2, 6, 16, 44, 74, 104])
    }

    /// New objects would stay visible.
    @Test func refreshIntervalWithRedactionIsBounded() {
        let inferences = PlaybackState(rate: 1, seconds: 20, isRedacted: true).inferences()
        #expect(inferences.map(\.seconds) == [0, 1, 4, 8, 12, 16])
    }

    @Test func refreshIntervalBetweenKeyFramesRestartsWhenTrackEnds() {
        let state = PlaybackState(
            rate: 0.5, seconds: 120, objects: { _ in [Self.walker(0)] }, known: { $0 < 60 ? [Self.place(0)] : [] })
        #expect(state.inferences().map(\.seconds) == [0, 2, 6, 16, 44, 62, 66, 76, 104])
    }

    /// Camera noise is not motion, and the refresh interval grows to its maximum.
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
        // An undetected newcomer triggers about three inferences per second, so that it is reported soon after it is
        // detectable.
        #expect(later.count >= 11 && later.count <= 20)
        // Consecutive frames are skipped, because another inference right after a failed one most likely fails, too.
        #expect(zip(later, later.dropFirst()).allSatisfy { $1.seconds - $0.seconds > 0.15 })
        #expect(zip(later, later.dropFirst()).allSatisfy { $1.seconds - $0.seconds < 0.35 })
    }

    /// Motion that stays undetected for seconds (leaves, water, a blinking lamp) triggers about one inference per
    /// second. Motion elsewhere, or at the same position after a pause, triggers an inference immediately.
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

    /// Activity opens the gate before the decoder. Key frames can be further apart than the time after which the inference
    /// policy forgets recurring motion.
    @Test(arguments: [0.1, 0.25, 10]) func recurringMotionIsNoActivity(_ rate: Double) {
        let begin = 40 / min(rate, 1)
        func objects(_ time: Double) -> [Box] {
            let lamp = Int(time * min(rate, 2)) % 2 == 0 ? [Box(x: 20, y: 20, width: 14, height: 14)] : []
            return lamp + (time >= begin ? [Box(x: 100, y: 50, width: 12, height: 30)] : [])
        }
        var activity: [(seconds: Double, motion: Bool, unexplained: Bool)] = []
        let inferences = PlaybackState(rate: rate, seconds: begin + 1 / rate, objects: objects)
            .inferences { activity.append(($0, $1.seesMotion, $1.seesUnexplainedMotion)) }
        let (early, late) = (5 / min(rate, 1), 30 / min(rate, 1))
        #expect(activity.contains { $0.seconds < early && $0.motion && $0.unexplained })
        #expect(!activity.contains { (late..<begin - 0.01).contains($0.seconds) && ($0.motion || $0.unexplained) })
        #expect(inferences.contains { (late..<begin - 0.01).contains($0.seconds) && $0.reason == .recurringMotion })
        #expect(activity.last.map { $0.motion && $0.unexplained } == true)
    }

    /// A newcomer is often misclassified or missed at first, so early inferences follow each other quickly.
    @Test func newMotionIsInferredMoreOftenAtFirst() {
        let inferences = PlaybackState(rate: 50, seconds: 9, objects: { $0 < 4.99 ? [] : [Self.walker($0 - 5)] })
            .inferences()
        let gaps = zip(inferences, inferences.dropFirst()).filter { $0.0.seconds > 4.99 }
            .map { (at: $1.seconds, size: $1.seconds - $0.seconds) }
        #expect(gaps.contains { $0.at < 6 } && gaps.allSatisfy { $0.at >= 6 || $0.size < 0.15 })
        #expect(gaps.contains { $0.at > 6.5 && $0.size > 0.21 })
    }

    /// Consecutive frames are similar, so motion right after an inference waits for a minimum pause.
    @Test func motionAfterInferenceWaitsForMinimumPause() throws {
        let inferences = PlaybackState(rate: 60, seconds: 2, objects: { $0 < 1.01 ? [] : [Self.walker($0)] })
            .inferences()
        #expect(inferences.prefix(2).map(\.reason) == [.start, .refresh])
        let first = try #require(inferences.first { $0.reason == .motion })
        #expect(abs(first.seconds - inferences[1].seconds - 0.1) < 0.001)
    }

    @Test func knownObjectIsExtrapolatedWhileAccurate() {
        let well = PlaybackState(seconds: 8, objects: { [Self.walker($0)] }, known: { [Self.place($0)] }).inferences()
        let badly = PlaybackState(seconds: 8, objects: { [Self.walker($0)] }, known: { [Self.place($0, error: 0.5)] })
            .inferences()
        #expect(well.count <= 6)
        #expect(well.allSatisfy { [.start, .drift, .refresh].contains($0.reason) })
        #expect(badly.count >= 14 && badly.count <= 20)
    }

    /// An object has left, and its box remains on the background.
    @Test func appearanceChangeTriggersInference() {
        func inferences(similarity: Double) -> [PlaybackState.Inference] {
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

    /// Identities can be swapped when two objects pass each other.
    @Test func approachingObjectsAreInferredMoreOften() {
        let alone = PlaybackState(seconds: 6, objects: { [Self.walker($0)] }, known: { [Self.place($0)] }).inferences()
        let two = PlaybackState(
            seconds: 6, objects: { [Self.walker($0)] },
            known: { [Self.place($0), TrackerSnapshot.ObjectState(box: Box(x: 90, y: 60, width: 50, height: 80))] }
        ).inferences()
        #expect(two.count >= alone.count + 5)
        #expect(two.count { $0.reason == .drift } >= 5)
    }

    /// Overlapping objects trigger inference every 0.2 s at 10 frames per second, and every 0.1 s at 30 frames per
    /// second.
    @Test(arguments: [(10.0, 0.2), (30, 0.1)])
    func overlappingObjectsShortenTheInterval(_ rate: Double, _ pause: Double) {
        let other = TrackerSnapshot.ObjectState(
            box: Box(x: 20, y: 60, width: 50, height: 80),
            carried: (500_000_000, 0.02))
        let inferences = PlaybackState(
            rate: rate, seconds: 2, objects: { [Self.walker($0)] }, known: { [Self.place($0, error: 0.02), other] }
        ).inferences().filter { $0.seconds < 1 }
        #expect(inferences.count == Int((1 / pause).rounded()))
        for (one, next) in zip(inferences, inferences.dropFirst()) {
            #expect(abs(next.seconds - one.seconds - pause) < 0.001)
        }
    }

    @Test func tentativeTracksAreInferredUntilConfirmedAndMissedOnesBackOff() {
        let newcomer = PlaybackState(
            seconds: 3, objects: { [Self.walker($0)] },
            known: { $0 < 0.95 ? [] : [Self.place($0, isConfirmed: $0 > 1.45)] }
        ).inferences().filter { $0.reason == .tentative }
        // The track appears in the snapshot after the frame at 1.0 s and is confirmed after the frame at 1.5 s.
        #expect(newcomer.map { ($0.seconds * 10).rounded() } == [11, 12, 13, 14, 15])
        let lost = TrackerSnapshot.ObjectState(box: Box(x: 9, y: 9, width: 30, height: 30), misses: 3)
        let missed = PlaybackState(seconds: 4, known: { _ in [lost] }).inferences().filter { $0.reason == .missed }
        #expect(missed.count >= 8 && missed.count <= 10)
    }

    /// A standing object that is detected only sometimes: inference on an unchanged picture would give the same result.
    @Test func unchangedTentativeTrackCanWait() {
        let inferences = PlaybackState(seconds: 5, known: { $0 < 0.95 ? [] : [Self.place(1, isConfirmed: false)] })
            .inferences()
        #expect(inferences.map(\.reason) == [.start, .refresh, .tentative, .tentative, .tentative])
        #expect(inferences.map { $0.seconds.rounded() } == [0, 1, 2, 3, 4])
    }

    /// A person in front of a bus that fills the picture. If the bus itself has moved, it explains the motion.
    @Test(arguments: [false, true]) func motionInFrontOfLargeObjectIsUnexplained(_ stands: Bool) {
        let inferences = PlaybackState(
            seconds: 6, objects: { $0 < 4.95 ? [] : [Box(x: 50, y: 30, width: 20, height: 40)] },
            known: {
                let right = stands || $0 < 4.85 ? 0.0 : 30
                return [
                    TrackerSnapshot.ObjectState(
                        box: Box(x: 20 + right, y: 8, width: 240, height: 180),
                        carried: (500_000_000, 0.02))
                ]
            }
        ).inferences()
        #expect(inferences.contains(.init(seconds: 5, reason: .motion)) == stands)
    }

    /// Two similar scenes: only the tracker detects the cut, after the first frame of the new scene.
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

    /// The luma plane rarely has a multiple of the cell size; motion in the remaining edge strips must be detected,
    /// too.
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
            policy.note(TrackerSnapshot(lastResult: time, places: []))
        }
        #expect(reasons.contains(.motion))
    }

    /// The noise estimate depends on elapsed time, because an estimate per frame would adapt too slowly at low frame
    /// rates.
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

    /// The camera turns behind a large object, so that only a small part of the background is visible.
    @Test func cameraMotionIsDetectedBehindLargeObjects() {
        let near = TrackerSnapshot.ObjectState(
            box: Box(x: 0, y: 0, width: 200, height: 192),
            carried: (500_000_000, 0.02))
        let inferences = PlaybackState(seconds: 2, known: { _ in [near] }, scene: { Int($0 * 10) }).inferences()
        #expect(inferences.map(\.reason) == [.start] + Array(repeating: .sceneChange, count: 19))
    }

    /// Low-textured areas change little while the camera turns. Without camera motion, so little change is not a new
    /// scene.
    @Test func cameraMotionContinuesOverLowTexture() {
        func inferences(from start: Double) -> [PlaybackState.Inference] {
            let calm = Box(x: 0, y: 0, width: 112, height: 96)
            return PlaybackState(seconds: 3, objects: { $0 < start ? [] : [calm] }, scene: { Int($0 * 10) })
                .inferences()
        }
        #expect(
            inferences(from: 1).dropFirst().allSatisfy { $0.reason == .sceneChange } && inferences(from: 1).count == 30)
        #expect(!inferences(from: 0).contains { $0.reason == .sceneChange })
    }

    /// While the camera moves, every frame is inferred regardless of results. After it stops, results count again.
    @Test func inferenceDuringCameraMotionNeedsNoResult() {
        let scenes = (0..<12).map { min($0, 6) }
        var policy = InferencePolicy()
        var reasons: [InferencePolicy.Reason?] = []
        var unanswered: TrackerSnapshot?
        for (number, scene) in scenes.enumerated() {
            let time = Nanoseconds(number) * 100_000_000
            let play = PlaybackState(scene: { _ in scene })
            reasons.append(
                policy.reasonToInfer(.init(time: time, isDetectorIdle: true), in: play.plane(at: 0), at: .auto))
            // The previous frame's result is available now; this frame's result is available only if the caller waits
            // for it.
            if let unanswered { policy.note(unanswered) }
            unanswered = nil
            let snapshot = TrackerSnapshot(
                lastResult: reasons.last == .some(nil) ? nil : time,
                places: [TrackerSnapshot.ObjectState(box: Box(x: 4, y: 4, width: 40, height: 40), isConfirmed: false)])
            guard snapshot.lastResult != nil else { continue }
            if policy.isNextInferenceCertain { unanswered = snapshot } else { policy.note(snapshot) }
        }
        #expect(
            reasons.prefix(7) == [
                .start, .sceneChange, .sceneChange, .sceneChange, .sceneChange, .sceneChange, .sceneChange,
            ])
        #expect(reasons[7] == nil)
        // The picture no longer changes, so tentative tracks can wait.
        #expect(reasons[8...].allSatisfy { $0 == nil })
        #expect(!policy.isNextInferenceCertain)
    }

    /// In live mode, the first result arrives one frame before its snapshot. The delay is not a scene change.
    @Test func firstResultIsAwaited() {
        let inferences = PlaybackState(seconds: 3, delay: 4).inferences()
        #expect(inferences.map(\.reason) == [.start, .refresh])
    }

    /// Background that a moving object has uncovered since the inferred frame is explained, however late the result
    /// arrives.
    @Test func lateResultsExplainMotion() {
        let inferences = PlaybackState(
            rate: 25, seconds: 6, objects: { [Self.walker(2 * $0)] }, known: { [Self.place(2 * $0)] }, delay: 10
        ).inferences()
        #expect(inferences.allSatisfy { [.start, .drift, .refresh].contains($0.reason) }, "\(inferences)")
    }

    /// In live mode, a result arrives before its snapshot; no new inference starts until the snapshot is available.
    @Test func noInferenceBeforePreviousResult() {
        var policy = InferencePolicy()
        let plane = SyntheticScene().plane(at: 0)
        #expect(policy.reasonToInfer(.init(time: 0, isDetectorIdle: true), in: plane, at: .auto) == .start)
        policy.note(TrackerSnapshot(lastResult: 0, places: []))
        let second = InferencePolicy.FrameState(time: 1_100_000_000, isDetectorIdle: true)
        #expect(policy.reasonToInfer(second, in: plane, at: .auto) == .refresh)
        policy.note(TrackerSnapshot(lastResult: 0, places: []))
        #expect(policy.reasonToInfer(.init(time: 1_200_000_000, isDetectorIdle: true), in: plane, at: .auto) == nil)
    }

    /// Frames without a usable luma plane trigger inference: another size, too small, or missing.
    @Test(arguments: [[nil], [(160, 96), (96, 160)], [(15, 200)]] as [[(width: Int, height: Int)?]])
    func unusableLumaPlaneTriggersInference(_ sizes: [(width: Int, height: Int)?]) {
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
            policy.note(TrackerSnapshot(lastResult: time, places: []))
        }
    }
}
