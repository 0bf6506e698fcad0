import Testing

@testable import SwiftODT

/// Tests the choice of the next region: small objects, motion, full coverage over time, and no edges through objects.
@Suite struct RegionSelectorTests {
    private static let picture = RegionSelector.Geometry(
        width: 1920, height: 1080, input: InputSize(width: 320, height: 320))

    private func snapshot(_ boxes: [Box], at time: Nanoseconds, seen: [Nanoseconds], observedMagnification: Double)
        -> TrackerSnapshot
    {
        TrackerSnapshot(
            lastResult: time,
            places: zip(boxes, seen).map {
                TrackerSnapshot.ObjectState(box: $0.0, lastSeen: $0.1, observedMagnification: observedMagnification)
            })
    }

    /// Runs the selector for `frames` frames. Objects are detected if the region contains them at a sufficient
    /// magnification.
    private func inferences(
        _ boxes: [Box], frames: Int, apart: Nanoseconds = 40_000_000, observedMagnification: Double = 1,
        because cause: (Int) -> InferencePolicy.Reason = { _ in .interval },
        isCameraMoving: Bool = false,
        luma: (Int) -> LumaPlane? = { _ in nil }
    ) -> [(region: Box?, reason: RegionSelector.Reason)] {
        var choice = RegionSelector()
        var seen = [Nanoseconds](repeating: 0, count: boxes.count)
        return (0..<frames).map { frame in
            let time = Nanoseconds(frame) * apart
            if frame > 0 {
                choice.note(snapshot(boxes, at: time, seen: seen, observedMagnification: observedMagnification))
            }
            let look = choice.next(
                at: time, because: cause(frame), isCameraMoving: isCameraMoving, in: Self.picture,
                luma: luma(frame))
            let region = InferredRegion(look.region, width: 1920, height: 1080)
            for index in boxes.indices
            where !region.cuts(boxes[index]) && region.magnification * 1.25 >= observedMagnification {
                seen[index] = time
            }
            return look
        }
    }

    @Test func fullFrameAndAllRegionsAreCovered() {
        let inferences = inferences([], frames: 250)
        #expect(inferences[0].region == nil)
        for window in stride(from: 0, to: 239, by: 1) {
            #expect(inferences[window...window + 10].contains { $0.region == nil })
        }
        let tiles = inferences.compactMap(\.region)
        for x in stride(from: 10.0, to: 1920, by: 60) {
            for y in stride(from: 10.0, to: 1080, by: 60) {
                #expect(tiles.contains { $0.minX <= x && x <= $0.maxX && $0.minY <= y && y <= $0.maxY })
            }
        }
    }

    @Test func smallObjectsAreInferredInRegions() {
        let small = (0..<3).map { Box(x: 1300 + 60 * Double($0), y: 700, width: 20, height: 50) }
        let inferences = inferences(small, frames: 100, observedMagnification: 3)
        let near = inferences.compactMap(\.region).filter { region in small.allSatisfy { $0.intersection(region) == $0 }
        }
        #expect(near.count > 50)
        #expect(inferences.contains { $0.reason == .objects })
    }

    @Test func firstSceneChangeSelectsFullFrame() {
        let small = (0..<3).map { Box(x: 1300 + 60 * Double($0), y: 700, width: 20, height: 50) }
        for change in 10..<30 {
            let inferences = inferences(
                small, frames: 31, observedMagnification: 3,
                because: { $0 == change || $0 == change + 1 ? .sceneChange : .missed })
            #expect(inferences[change].region == nil)
        }
    }

    @Test(arguments: [false, true]) func sceneChangesSelectFullFrameUnlessCameraMoves(isCameraMoving: Bool) {
        let inferences = inferences(
            [], frames: 5, apart: 120_000_000, because: { $0 == 0 ? .start : .sceneChange },
            isCameraMoving: isCameraMoving)
        #expect(inferences.allSatisfy { $0.region == nil } == !isCameraMoving)
    }

    /// With rare inferences, every interval is longer than the time after which the full frame is due.
    @Test(arguments: [InferencePolicy.Reason.interval, .drift, .missed])
    func rareInferencesStillSelectRegions(_ cause: InferencePolicy.Reason) {
        let small = (0..<3).map { Box(x: 1300 + 60 * Double($0), y: 700, width: 20, height: 50) }
        let inferences = inferences(
            small, frames: 60, apart: 1_000_000_000, observedMagnification: 3, because: { _ in cause })
        let near = inferences.compactMap(\.region).filter { region in small.allSatisfy { $0.intersection(region) == $0 }
        }
        #expect(near.count >= 20)
        #expect(inferences.count { $0.region == nil } >= 20)
    }

    @Test func largeObjectsAreInferredInFullFrame() {
        let large = (0..<4).map { Box(x: 100 + 450 * Double($0), y: 200, width: 300, height: 700) }
        #expect(inferences(large, frames: 100).count { $0.region == nil } > 80)
    }

    /// In an empty scene the full frame suffices for newcomers. Persistent motion without a detection may need a higher
    /// magnification.
    @Test func emptySceneSelectsFullFrameUnlessMotionPersists() {
        func wholes(_ luma: (Int) -> LumaPlane?) -> Int {
            var choice = RegionSelector()
            let large = [Box(x: 300, y: 200, width: 300, height: 700)]
            return (0..<300).count { frame in
                let time = Nanoseconds(frame) * 40_000_000
                let boxes = frame < 100 ? large : []
                choice.note(snapshot(boxes, at: time, seen: [time], observedMagnification: 1))
                return choice.next(at: time, in: Self.picture, luma: luma(frame)).region == nil && frame >= 150
            }
        }
        #expect(wholes { _ in nil } > 100)
        #expect(wholes(Self.block) < 50)
    }

    @Test func regionsDoNotCutKnownObjects() {
        let boxes = [
            Box(x: 300, y: 300, width: 40, height: 90), Box(x: 1000, y: 500, width: 60, height: 120),
            Box(x: 1500, y: 850, width: 40, height: 100), Box(x: 880, y: 60, width: 30, height: 60),
        ]
        for look in inferences(boxes, frames: 200, observedMagnification: 3) {
            guard let region = look.region else { continue }
            for box in boxes {
                let share = box.intersection(region).area / box.area
                #expect(share == 0 || share == 1)
            }
        }
    }

    /// Returns a frame with a block that moves back and forth in a corner.
    private static func block(_ frame: Int) -> LumaPlane {
        let left = 120 + frame * 3 % 24
        return plane { x, y in y >= 64 && y < 80 && x >= left && x < left + 8 ? 220 : 90 }
    }

    private static func plane(_ level: (Int, Int) -> Int) -> LumaPlane {
        let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 160 * 90)
        for y in 0..<90 { for x in 0..<160 { pixels[y * 160 + x] = UInt8(clamping: level(x, y)) } }
        return LumaPlane(adopting: pixels, width: 160, height: 90, scaleX: 12, scaleY: 12, time: 0)
    }

    @Test func unexplainedMotionSelectsItsRegion() {
        let inferences = inferences([], frames: 40, luma: Self.block)
        #expect(
            inferences.contains {
                $0.reason == .motion && ($0.region?.maxX ?? 0) > 1600 && ($0.region?.maxY ?? 0) > 900
            })
        let known = self.inferences([Box(x: 1440, y: 760, width: 390, height: 210)], frames: 20, luma: Self.block)
        #expect(!known.contains { $0.reason == .motion })
        let backdrop = self.inferences([Box(x: 100, y: 30, width: 1780, height: 1040)], frames: 40, luma: Self.block)
        #expect(
            backdrop.contains { $0.reason == .motion && ($0.region?.maxX ?? 0) > 1600 && ($0.region?.maxY ?? 0) > 900 })
    }

    /// A person in front of a moving bus that fills the picture: the bus explains the motion, in either order of
    /// objects.
    @Test func selectionIsIndependentOfObjectOrder() {
        func moving(_ frame: Int) -> LumaPlane {
            Self.plane { x, y in y >= 10 && y < 80 && (x + 3 * frame) / 12 % 2 == 0 && x >= 10 && x < 150 ? 220 : 90 }
        }
        let (bus, person) = (
            Box(x: 100, y: 110, width: 1720, height: 860), Box(x: 200, y: 120, width: 1500, height: 840)
        )
        for known in [[bus, person], [person, bus]] {
            #expect(!inferences(known, frames: 40, luma: moving).contains { $0.reason == .motion })
        }
    }

    /// A newcomer at the picture's edge is only partly visible, and a region would show no more of it or cut it. If
    /// every frame is inferred anyway, regions are still selected.
    @Test(arguments: [(InferencePolicy.Reason.motion, true), (.interval, false)])
    func largeNewMotionSelectsFullFrame(_ cause: InferencePolicy.Reason, _ alone: Bool) {
        let inferences = inferences([], frames: 125, because: { $0 < 100 ? .interval : cause }) { frame in
            let right = frame < 100 ? 0 : 4 + 3 * (frame - 100)
            return Self.plane { x, y in y >= 60 && x < right && x >= right - 30 ? 220 : 90 }
        }
        #expect(inferences[80..<100].contains { $0.region != nil })
        #expect(inferences[100..<125].allSatisfy { $0.region == nil } == alone)
    }

    /// Visible objects are detected with every full-frame inference. Undetected small objects still get their turn on
    /// every level, for any number of visible objects and any interval.
    @Test(arguments: [(3, 33), (12, 33), (12, 200), (3, 1000)]) func visibleObjectsDoNotSuppressCoverage(
        _ count: Int, _ apart: Int
    ) {
        let standing = (0..<count).map { Box(x: 100 + 140 * Double($0), y: 300, width: 110, height: 500) }
        let inferences = inferences(standing, frames: 120_000 / apart, apart: Nanoseconds(apart) * 1_000_000)
        let widths = Set(inferences.dropFirst(inferences.count / 6).compactMap { $0.region?.width.rounded() })
        #expect(widths.count >= (apart < 1000 ? 3 : 2), "\(widths)")
        #expect(inferences.count { $0.region == nil } > inferences.count / 2)
    }

    /// A clock in the picture changes too few pixels to count as motion, so it does not prevent coverage.
    @Test func tinyMotionDoesNotPreventCoverage() {
        let inferences = inferences([], frames: 20, apart: 4_000_000_000, because: { _ in .refresh }) { second in
            Self.plane { x, y in x == 150 && y >= 5 && y < 8 && second % 2 == 0 ? 250 : 90 }
        }
        #expect(inferences.count { $0.region != nil } > 10)
    }

    /// In a crowd, the objects with the oldest detections come first.
    @Test func everyObjectOfACrowdIsCovered() {
        let crowd = (0..<300).map {
            Box(x: 20 + 90 * Double($0 % 20), y: 30 + 65 * Double($0 / 20), width: 20, height: 40)
        }
        var choice = RegionSelector()
        var seen = [Nanoseconds](repeating: 0, count: crowd.count)
        var near = [Int](repeating: 0, count: crowd.count)
        for frame in 0..<400 {
            let time = Nanoseconds(frame) * 40_000_000
            choice.note(snapshot(crowd, at: time, seen: seen, observedMagnification: 3))
            guard let region = choice.next(at: time, in: Self.picture, luma: nil).region else { continue }
            for index in crowd.indices where crowd[index].intersection(region) == crowd[index] {
                seen[index] = time
                near[index] += 1
            }
        }
        #expect(near[150...].count { $0 == 0 } < 15)
    }

    /// If large objects trigger the inference, the full frame is selected, however old the coverage elsewhere is.
    @Test(arguments: [(InferencePolicy.Reason.drift, false), (.missed, false), (.tentative, false), (.interval, true)])
    func triggeringObjectsPrecedeCoverage(_ cause: InferencePolicy.Reason, _ expectsCoverage: Bool) {
        let large = Box(x: 800, y: 200, width: 300, height: 700)
        let tiles = tiles(40, apart: 150_000_000, because: cause, knowing: large, observedMagnification: 1)
        #expect(tiles.allSatisfy { $0 == nil } == !expectsCoverage)
    }

    /// The inference that a tentative object triggers shows this object, although others have older detections.
    @Test func tentativeObjectSelectsItsRegion() throws {
        let crowd = (0..<2).map { Box(x: 1500 + 60 * Double($0), y: 900, width: 20, height: 50) }
        let boxes = [Box(x: 200, y: 200, width: 20, height: 50)] + crowd
        var choice = RegionSelector()
        _ = choice.next(at: 0, in: Self.picture, luma: nil)
        var known = snapshot(
            boxes, at: 40_000_000, seen: Array(repeating: -600_000_000, count: 3), observedMagnification: 3)
        known.places[0].isConfirmed = false
        known.places[0].lastSeen = 40_000_000
        choice.note(known)
        for time: Nanoseconds in [80_000_000, 1_000_000_000] {
            let region = try #require(choice.next(at: time, because: .tentative, in: Self.picture, luma: nil).region)
            #expect(boxes[0].intersection(region) == boxes[0])
        }
    }

    /// The inference that a changed appearance triggers shows this object, although others have older detections.
    @Test func changedAppearanceSelectsItsRegion() throws {
        let crowd = (0..<2).map { Box(x: 1500 + 60 * Double($0), y: 900, width: 20, height: 50) }
        let boxes = [Box(x: 200, y: 200, width: 20, height: 50)] + crowd
        let shown = try [InferencePolicy.Reason.drift, .appearanceChange].map { cause in
            var choice = RegionSelector()
            _ = choice.next(at: 0, in: Self.picture, luma: nil)
            var known = snapshot(
                boxes, at: 600_000_000, seen: [300_000_000, 200_000_000, 200_000_000], observedMagnification: 3)
            known.places[0].similarity = 0.3
            choice.note(known)
            let region = try #require(choice.next(at: 640_000_000, because: cause, in: Self.picture, luma: nil).region)
            return boxes[0].intersection(region) == boxes[0]
        }
        #expect(shown == [false, true])
    }

    /// Objects that only the full frame shows are inferred within a second, although tentative objects trigger every
    /// frame.
    @Test func tentativeObjectsDoNotStarveFullFrame() {
        let inferences = tiles(
            100, apart: 40_000_000, because: .tentative, knowing: Self.small, observedMagnification: 3,
            isConfirmed: false)
        let wholes = inferences.indices.filter { inferences[$0] == nil }
        #expect(wholes.count < 20)
        #expect(zip(wholes, wholes.dropFirst()).allSatisfy { ($1 - $0) * 40 <= 1000 } && (wholes.last ?? 0) > 70)
    }

    /// With rare inferences, the full frame has no larger share than with an inference for every frame.
    @Test func smallTriggeringObjectsRarelySelectFullFrame() {
        let inferences = tiles(60, apart: 150_000_000, because: .drift, knowing: Self.small, observedMagnification: 3)
        let wholes = inferences.count { $0 == nil }
        #expect(wholes >= 5 && wholes <= 16)
    }

    /// Refresh inferences are seconds apart. They cover all regions in turns, including regions without detections, and
    /// the full frame is one of these turns.
    @Test func idleInferencesCoverAllRegions() {
        let large = Box(x: 800, y: 200, width: 300, height: 700)
        let tiles = tiles(100, apart: 4_000_000_000, because: .refresh, knowing: large, observedMagnification: 1)
        #expect(tiles[0] == nil && tiles[1] != nil && tiles[2] != nil)
        #expect(tiles.count { $0 == nil } >= 15 && tiles.count { $0 == nil } <= 40)
        #expect(Set(tiles.compactMap { $0 }).count >= 25)
    }

    private static let small = Box(x: 1300, y: 700, width: 20, height: 50)

    /// Returns the regions of `count` inferences with one reason and one known object, which each inference detects;
    /// `nil` is the full frame.
    private func tiles(
        _ count: Int, apart: Nanoseconds, because cause: InferencePolicy.Reason, knowing box: Box,
        observedMagnification: Double,
        isConfirmed: Bool = true
    ) -> [Box?] {
        var choice = RegionSelector()
        return (0..<count).map { number in
            let time = Nanoseconds(number) * apart
            let region = choice.next(at: time, because: cause, in: Self.picture, luma: nil).region
            var known = snapshot([box], at: time, seen: [time], observedMagnification: observedMagnification)
            known.places[0].isConfirmed = isConfirmed
            choice.note(known)
            return region
        }
    }

    /// A known object keeps moving and was only extrapolated since the last inference, so there is no time for
    /// coverage.
    @Test func movingKnownObjectsSuppressIdleCoverage() {
        let giant = [Box(x: 1440, y: 0, width: 390, height: 1080)]
        var choice = RegionSelector()
        for number in 0..<50 {
            let time = Nanoseconds(number) * 1_000_000_000
            let region = choice.next(at: time, because: .refresh, in: Self.picture, luma: Self.block(number)).region
            choice.note(snapshot(giant, at: time, seen: [time], observedMagnification: 1))
            #expect(region == nil)
        }
    }

    /// In a new scene nothing is known, so the full frame comes first even if it is not due.
    @Test func newSceneBeginsWithFullFrame() {
        var choice = RegionSelector()
        var isWhole: [Bool] = []
        for number in 0..<60 {
            let time = Nanoseconds(number) * 40_000_000
            isWhole.append(choice.next(at: time, because: .drift, in: Self.picture, luma: nil).region == nil)
            var known = snapshot([Self.small], at: time, seen: [time], observedMagnification: 3)
            // The tracker reports the cut after the frame.
            known.lastCut = number >= 30 ? 30 * 40_000_000 : nil
            choice.note(known)
        }
        #expect(isWhole[30] || isWhole[31])
        #expect(isWhole.count { $0 } < 20)
    }

    /// A global light change is not motion.
    @Test func globalChangeIsNotMotion() {
        let flicker = inferences([], frames: 20, luma: { frame in Self.plane { _, _ in frame % 2 == 0 ? 90 : 140 } })
        #expect(!flicker.contains { $0.reason == .motion })
    }

    /// In live mode, an inference starts before the previous result is known. It selects another region.
    @Test func regionInFlightIsNotSelectedAgain() throws {
        let (many, few) = (0..<3, 3..<5)
        let boxes = (0..<5).map {
            many.contains($0)
                ? Box(x: 100 + 60 * Double($0), y: 100, width: 30, height: 60)
                : Box(x: 1500 + 60 * Double($0), y: 900, width: 30, height: 60)
        }
        var choice = RegionSelector()
        _ = choice.next(at: 0, in: Self.picture, luma: nil)
        choice.note(snapshot(boxes, at: 0, seen: Array(repeating: -900_000_000, count: 5), observedMagnification: 3))
        let tiles = try (1...2).map { number in
            try #require(
                choice.next(at: Nanoseconds(number) * 40_000_000, in: Self.picture, luma: nil).region)
        }
        #expect(boxes[many].allSatisfy { $0.intersection(tiles[0]) == $0 })
        #expect(boxes[few].allSatisfy { $0.intersection(tiles[1]) == $0 })
    }

    /// The estimates follow inferences; frames without an inference do not change them.
    @Test func skippedFramesDoNotUpdateSelector() {
        let large = (0..<2).map { Box(x: 100 + 900 * Double($0), y: 200, width: 300, height: 700) }
        let tiles = [1, 12].map { notes in
            var choice = RegionSelector()
            return (0..<50).map { frame in
                let time = Nanoseconds(frame) * 40_000_000
                for _ in 0..<notes {
                    choice.note(snapshot(large, at: time, seen: [time, time], observedMagnification: 1))
                }
                return choice.next(at: time, in: Self.picture, luma: nil).region
            }
        }
        #expect(tiles[0] == tiles[1])
        #expect(tiles[0].contains { $0 != nil })
    }

    @Test func smallPictureSelectsFullFrame() {
        var choice = RegionSelector()
        let tiny = RegionSelector.Geometry(width: 160, height: 120, input: InputSize(width: 320, height: 320))
        for frame in 0..<20 {
            let time = Nanoseconds(frame) * 40_000_000
            #expect(choice.next(at: time, in: tiny, luma: nil).region == nil)
        }
        // A rotated picture of another size, and times that run backwards.
        let turned = RegionSelector.Geometry(
            width: 1080, height: 1920, turned: true, input: InputSize(width: 416, height: 320))
        choice.note(
            TrackerSnapshot(places: [TrackerSnapshot.ObjectState(box: Box(x: .nan, y: 0, width: .infinity, height: 1))])
        )
        for time in [0, 40_000_000, -5, Nanoseconds.max, Nanoseconds.min, 0] {
            if let region = choice.next(at: time, in: turned, luma: nil).region {
                #expect(region.minX >= 0 && region.minY >= 0 && region.maxX <= 1080 && region.maxY <= 1920)
            }
        }
    }
}
