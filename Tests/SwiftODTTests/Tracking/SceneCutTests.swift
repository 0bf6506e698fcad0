import Glibc
import Testing

@testable import SwiftODT

/// Tests scene cuts: tracks end with the scene, and camera motion does not end it.
@Suite struct SceneCutTests {
    private static let scene = SyntheticScene(seed: 1)

    @Test func differentPictureIsACut() {
        var cut = SceneCut()
        let other = SyntheticScene(seed: 408)
        let planes =
            (0..<5).map { Self.scene.plane(at: Double($0) / 30) } + [other.plane(at: 0.2), other.plane(at: 0.25)]
        let isCut = planes.map { cut.isCut($0) }
        #expect(isCut == [false, false, false, false, false, true, false])
    }

    @Test func aPanIsNoCut() {
        var cut = SceneCut()
        var scene = Self.scene
        scene.camera = { (1500 * $0, 0) }
        let isCut = (0..<30).map { cut.isCut(scene.plane(at: Double($0) / 30)) }
        #expect(!isCut.contains(true))
    }

    @Test func aFlashIsNoCut() {
        var cut = SceneCut()
        var bright = Self.scene
        bright.light = 60
        let planes = [Self.scene.plane(at: 0), bright.plane(at: 0.1), Self.scene.plane(at: 0.2)]
        let isCut = planes.map { cut.isCut($0) }
        #expect(isCut == [false, false, false])
    }

    /// A lost frame, an overexposed frame or a fade through black does not end the scene; a different scene after it
    /// does.
    @Test(arguments: [0, 255]) func uniformFrameIsNoScene(_ grey: UInt8) {
        var cut = SceneCut()
        let like = Self.scene.plane(at: 0)
        func flat() -> LumaPlane {
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: like.width * like.height)
            pixels.initialize(repeating: grey)
            return LumaPlane(
                adopting: pixels, width: like.width, height: like.height, scaleX: like.scaleX, scaleY: like.scaleY,
                time: 0)
        }
        let planes = [
            like, flat(), Self.scene.plane(at: 0.1), flat(), flat(), SyntheticScene(seed: 408).plane(at: 0.2),
        ]
        #expect(planes.map { cut.isCut($0) } == [false, false, false, false, false, true])
    }

    /// The first scene begins after black pictures at the start, but not with the first picture of a video.
    @Test(arguments: [(true, false), (false, false), (true, true)])
    func firstSceneBeginsAfterUniformPicturesWithoutTracks(isBlackFirst: Bool, hasTracks: Bool) {
        var cut = SceneCut()
        let like = Self.scene.plane(at: 0)
        let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: like.width * like.height)
        pixels.initialize(repeating: 16)
        let black = LumaPlane(
            adopting: pixels, width: like.width, height: like.height, scaleX: like.scaleX, scaleY: like.scaleY, time: 0)
        let planes = (isBlackFirst ? [black, black] : []) + [like, Self.scene.plane(at: 0.1), black, like]
        #expect(
            planes.map { cut.isCut($0, hasTracks: hasTracks) }
                == (isBlackFirst ? [false, false] : []) + [isBlackFirst && !hasTracks, false, false, false])
        cut.reset()
        let isCut = cut.isCut(like)
        #expect(!isCut)
    }

    /// The bars of letterboxed and pillarboxed video are the same in both scenes.
    @Test(arguments: [(0, 36), (80, 0)]) func cutBetweenBarsIsDetected(across: Int, down: Int) {
        var cut = SceneCut()
        let other = SyntheticScene(seed: 408)
        let planes =
            (0..<5).map { Self.scene.plane(at: Double($0) / 30) } + [other.plane(at: 0.2), other.plane(at: 0.25)]
        let isCut = planes.map { plane in
            cut.isCut(
                plane.painted { x, y, grey in
                    (across..<plane.width - across).contains(x) && (down..<plane.height - down).contains(y) ? grey : 16
                })
        }
        #expect(isCut == [false, false, false, false, false, true, false])
    }

    /// A dark sky is no bar. Otherwise, a large object below it would fill most of the compared cells.
    @Test func objectBelowDarkSkyIsNoCut() {
        var cut = SceneCut()
        let isCut = (0..<6).map { frame in
            cut.isCut(
                Self.scene.plane(at: 0).painted { x, y, grey in
                    if y < 100 { return 16 }
                    return frame == 5 && (40..<280).contains(x) && y > 110 ? 230 : 90 + grey / 8
                })
        }
        #expect(!isCut.contains(true))
    }

    @Test func sceneCutEndsTracks() {
        let tracker = Tracker()
        let detection = Detection(box: Box(x: 300, y: 200, width: 100, height: 200), score: 0.9)
        let other = SyntheticScene(seed: 408)
        for frame in 0..<10 {
            let time = Double(frame) / 25
            _ = tracker.step(Nanoseconds(time * 1e9), [detection], luma: Self.scene.plane(at: time))
        }
        #expect(!tracker.isCut)
        let tracks = tracker.step(400_000_000, [detection], luma: other.plane(at: 0.4))
        #expect(tracker.isCut)
        #expect(tracks.first { $0.state == .lost }?.id == 1)
        #expect(tracks.first { $0.state == .new }?.id == 2)
        // A result for a frame of the old scene does not apply to the new one.
        tracker.advance(to: 440_000_000, width: 1280, height: 720, luma: other.plane(at: 0.44))
        #expect(!tracker.isCut)
        tracker.update([detection, detection], seenAt: 360_000_000)
        #expect(tracker.tracks.map(\.id) == [2])
    }
}

extension LumaPlane {
    /// Returns a copy with the grey levels that `body` returns for each position and grey level.
    fileprivate func painted(_ body: (Int, Int, UInt8) -> UInt8) -> LumaPlane {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: width * height)
        for index in copy.indices { copy[index] = body(index % width, index / width, pixels[index]) }
        return LumaPlane(
            adopting: copy, width: width, height: height, scaleX: scaleX, scaleY: scaleY, time: 0)
    }
}
