import Testing

@testable import SwiftODT

/// Tests the report of objects that the detector misses: a box stays only as long as the image supports it.
///
/// The object is a person of 80 x 200 pixels in textured pictures. Every frame has a detector result.
@Suite struct OcclusionStateTests {
    private static let rates = [10.0, 25]
    /// Frame rates for cases that are sensitive to the rate.
    private static let manyRates = [5.0, 10, 15, 25, 30, 60]

    private func person(_ place: @escaping @Sendable (Double) -> (x: Double, y: Double), seed: UInt64 = 3)
        -> SyntheticScene.Thing
    {
        .init(width: 80, height: 200, place: place, seed: seed)
    }

    /// Returns the tracks of each frame; `isSeen` decides whether an object is detected at a time.
    private func play(
        _ scene: SyntheticScene, seconds: Double, rate: Double, isSeen: (Int, Double) -> Bool
    ) -> [(time: Double, tracks: [Track])] {
        let tracker = Tracker()
        return (0..<Int((seconds * rate).rounded())).map { frame in
            let time = Double(frame) / rate
            let boxes = scene.boxes(at: time).map {
                $0.clipped(width: SyntheticScene.width, height: SyntheticScene.height)
            }
            let found = boxes.indices.filter { isSeen($0, time) }.map { Detection(box: boxes[$0], score: 0.8) }
            return (time, tracker.step(Nanoseconds(time * 1e9), found, luma: scene.plane(at: time)))
        }
    }

    private func ids(_ tracks: [Track]) -> [Int?] { tracks.filter { $0.state != .lost }.map(\.id) }

    /// The box of a removed object must end at once instead of coasting for a second.
    @Test(arguments: manyRates)
    func removedObjectEnds(_ rate: Double) {
        let scene = SyntheticScene(objects: [person { $0 < 2 ? (600, 300) : (-3000, 300) }])
        for (time, tracks) in play(scene, seconds: 3, rate: rate, isSeen: { $1 < 2 }) {
            if time < 2 { #expect(ids(tracks) == [1]) }
            if time > 2.2 { #expect(ids(tracks) == [], "at \(time)") }
        }
    }

    /// Between two results, only the image shows that one box has stayed behind and the other has followed its object.
    @Test(arguments: rates)
    func uninferredBoxReportsSimilarity(_ rate: Double) throws {
        let scene = SyntheticScene(objects: [
            person { $0 < 2 ? (600, 300) : (-3000, 300) }, person({ (200 + 60 * $0, 300) }, seed: 5),
        ])
        let tracker = Tracker()
        for frame in 0..<Int(3 * rate) {
            let time = Double(frame) / rate
            tracker.advance(
                to: Nanoseconds(time * 1e9), width: SyntheticScene.width, height: SyntheticScene.height,
                luma: scene.plane(at: time))
            if time <= 1.5 {
                tracker.update(
                    scene.boxes(at: time).map { Detection(box: $0, score: 0.8) }, seenAt: Nanoseconds(time * 1e9))
            }
            let places = try #require(tracker.snapshot()).places.sorted { $0.box.x < $1.box.x }
            #expect(places.map(\.isAppearanceChanged) == [false, time >= 2], "at \(time): \(places.map(\.similarity))")
        }
    }

    /// The track neither explains motion at its position nor triggers inference.
    @Test(arguments: rates)
    func goneObjectIsNotInSnapshot(_ rate: Double) throws {
        let scene = SyntheticScene(objects: [
            person { $0 < 2 ? (600, 300) : (-3000, 300) }, person({ (200 + 60 * $0, 300) }, seed: 5),
        ])
        let tracker = Tracker()
        for frame in 0..<Int(3 * rate) {
            let time = Double(frame) / rate
            let running = Nanoseconds(time * 1e9)
            tracker.advance(
                to: running, width: SyntheticScene.width, height: SyntheticScene.height, luma: scene.plane(at: time))
            let seen = scene.boxes(at: time).filter { $0.x > -1000 }
            tracker.update(seen.map { Detection(box: $0, score: 0.8) }, seenAt: running)
            let places = try #require(tracker.snapshot()).places
            if time < 2 || time > 2.3 { #expect(places.count == (time < 2 ? 2 : 1), "at \(time)") }
        }
    }

    /// A moving track must not be extrapolated over the background for a second.
    @Test(arguments: rates)
    func trackOnBackgroundEnds(_ rate: Double) {
        let scene = SyntheticScene(objects: [person { $0 < 2 ? (300 + 150 * $0, 300) : (-3000, 300) }])
        for (time, tracks) in play(scene, seconds: 3, rate: rate, isSeen: { $1 < 2 }) where time > 2.2 {
            #expect(ids(tracks) == [], "at \(time)")
        }
    }

    /// The picture's edge cuts the last detections. The extrapolated track outside the picture must end.
    @Test(arguments: manyRates)
    func trackOutsidePictureEnds(_ rate: Double) {
        let scene = SyntheticScene(objects: [person { (800 + 200 * $0, 300) }])
        let frames = play(scene, seconds: 3.5, rate: rate, isSeen: { 800 + 200 * $1 < 1260 })
        #expect(frames.contains { $0.time > 2 && ids($0.tracks) == [1] })
        for (time, tracks) in frames where time > 2.6 { #expect(ids(tracks) == [], "at \(time)") }
    }

    /// A visible stationary object is kept, although the detector misses it for most of a second.
    @Test(arguments: manyRates)
    func stoppedObjectIsKept(_ rate: Double) {
        let scene = SyntheticScene(objects: [person { (300 + 150 * min($0, 1.8), 300) }])
        for (time, tracks) in play(scene, seconds: 3.5, rate: rate, isSeen: { $1 < 2 || $1 > 2.7 }) {
            #expect(ids(tracks) == [1], "at \(time)")
        }
    }

    /// The object passes behind an undetected pillar and is detected while half of it is visible. It keeps its id. At 5
    /// frames per second it moves half its width per frame, which is indistinguishable from being removed.
    @Test(arguments: manyRates.dropFirst())
    func objectBehindPillarIsKept(_ rate: Double) {
        let frames = walkBehindPillar(rate: rate)
        #expect(frames.contains { $0.tracks.contains { $0.state == .coasting } })
        for (time, tracks) in frames { #expect(ids(tracks) == [1], "at \(time)") }
    }

    private func walkBehindPillar(rate: Double) -> [(time: Double, tracks: [Track])] {
        let pillar = SyntheticScene.Thing(width: 110, height: 500, place: { _ in (640, 100) }, seed: 77, light: -30)
        let scene = SyntheticScene(objects: [person { (300 + 200 * $0, 300) }, pillar])
        return play(scene, seconds: 2.8, rate: rate) { number, time in
            let left = 300 + 200 * time
            return number == 0 && (left + 40 < 640 || left + 40 > 750)
        }
    }

    /// The object passes behind a stationary object. The box of that object indicates a possible occlusion.
    @Test(arguments: rates)
    func objectBehindObjectIsKept(_ rate: Double) {
        let scene = SyntheticScene(objects: [person { (300 + 200 * $0, 290) }, person({ _ in (640, 300) }, seed: 8)])
        let frames = play(scene, seconds: 3, rate: rate) { number, time in
            number == 1 || abs(300 + 200 * time - 640) > 45
        }
        #expect(frames.contains { $0.tracks.contains { $0.state == .coasting } })
        for (time, tracks) in frames { #expect(Set(ids(tracks)) == [1, 2], "at \(time)") }
    }

    /// Half of a person has left the picture. The detector misses the person, but the picture shows the rest.
    @Test(arguments: manyRates)
    func aCoastingTrackIsNotReportedOverTheEdgeOfThePicture(_ rate: Double) {
        let scene = SyntheticScene(objects: [person { (900 + 150 * $0, 300) }])
        let frames = play(scene, seconds: 3, rate: rate, isSeen: { 900 + 150 * $1 + 80 < 1290 })
        #expect(frames.contains { ids($0.tracks) == [1] })
        for (time, tracks) in frames where tracks.contains(where: { $0.state == .coasting }) {
            #expect(900 + 150 * time + 80 < 1300, "at \(time)")
        }
    }

    /// A person walks behind a wide visible object, and stays there.
    @Test(arguments: rates)
    func anOccludedTrackIsNotReportedFarFromItsLatestSightingAfterHalfOfItsAge(_ rate: Double) {
        let wall = SyntheticScene.Thing(width: 600, height: 400, place: { _ in (640, 200) }, seed: 77, light: -30)
        let scene = SyntheticScene(objects: [person { (300 + 200 * $0, 300) }, wall])
        let frames = play(scene, seconds: 3, rate: rate) { number, time in number == 1 || 300 + 200 * time < 620 }
        let coasting = frames.filter { $0.tracks.contains { $0.id == 1 && $0.state == .coasting } }.map(\.time)
        #expect(coasting.count > 2)
        // Last seen at 1.6 s; a track ends after a second.
        #expect(coasting.allSatisfy { $0 < 1.6 + 0.5 + 1.5 / rate }, "\(coasting)")
    }

    /// A small thing in front of a large one is taken away: the large one, which is seen all the time, does not hide it.
    @Test(arguments: rates)
    func anObjectSeenInFrontOfALargerOneIsNotOccludedByIt(_ rate: Double) {
        let bus = SyntheticScene.Thing(width: 600, height: 400, place: { (300 + 20 * $0, 200) }, seed: 77)
        let scene = SyntheticScene(objects: [bus, person({ $0 < 2 ? (500 + 20 * $0, 300) : (-3000, 300) }, seed: 8)])
        for (time, tracks) in play(scene, seconds: 3, rate: rate, isSeen: { $0 == 0 || $1 < 2 }) {
            if time < 2 { #expect(Set(ids(tracks)) == [1, 2], "at \(time)") }
            if time >= 2 { #expect(ids(tracks) == [1], "at \(time)") }
        }
    }

    /// While the picture shows it there a detector that misses it for a while changes nothing.
    @Test(arguments: rates)
    func anObjectInFrontOfALargerOneIsKeptWhileThePictureShowsIt(_ rate: Double) {
        let bus = SyntheticScene.Thing(width: 600, height: 400, place: { (300 + 20 * $0, 200) }, seed: 77)
        let scene = SyntheticScene(objects: [bus, person({ (500 + 20 * $0, 300) }, seed: 8)])
        for (time, tracks) in play(scene, seconds: 3, rate: rate, isSeen: { $0 == 0 || !(2.0..<2.4).contains($1) }) {
            #expect(Set(ids(tracks)) == [1, 2], "at \(time)")
        }
    }

    /// What walks behind something only seems to shrink.
    @Test func aCoastingBoxKeepsItsSize() {
        let tracker = Tracker()
        var sizes: [Double] = []
        for frame in 0..<20 {
            let box = Box(x: 300, y: 200, width: 100 - 4 * Double(frame), height: 200)
            let tracks = tracker.step(
                Nanoseconds(frame) * 100_000_000, frame < 12 ? [Detection(box: box, score: 0.8)] : [])
            if let track = tracks.first, track.state == .coasting { sizes.append(track.box.width) }
        }
        #expect(sizes.count > 5)
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) < 3, "\(sizes)")
    }

    /// An object that is invisible at its expected position and soon reappears keeps its id.
    @Test func reappearingObjectKeepsID() {
        let scene = SyntheticScene(objects: [person { (2.0..<2.5).contains($0) ? (-3000, 300) : (600, 300) }])
        let frames = play(scene, seconds: 3, rate: 10, isSeen: { !(2.0..<2.5).contains($1) })
        #expect(frames.filter { ids($0.tracks) == [] }.count == 4)
        #expect(ids(frames.last?.tracks ?? []) == [1])
    }

    /// During a camera pan the image cannot show that an object is stationary; a missed detection must not end its
    /// track.
    @Test(arguments: rates)
    func missedDetectionDuringPanKeepsTracks(_ rate: Double) {
        var scene = SyntheticScene(objects: [person { (300 + 150 * $0, 300) }])
        scene.camera = { (100 * $0, 0) }
        for (time, tracks) in play(scene, seconds: 3, rate: rate, isSeen: { !(2.0..<2.4).contains($1) }) {
            #expect(ids(tracks) == [1], "at \(time)")
        }
    }
}
