import Testing

@testable import SwiftODT

/// Protects where is looked next: at what is small, at what moves, everywhere in the end, and through nobody.
@Suite struct PartChoiceTests {
    private static let picture = PartChoice.Picture(
        width: 1920, height: 1080, input: InputSize(width: 320, height: 320))

    private func outlook(_ boxes: [Box], at time: Nanoseconds, seen: [Nanoseconds], nearness: Double) -> Outlook {
        Outlook(
            time: time,
            places: zip(boxes, seen).map { Outlook.Place(box: $0.0, lastSeen: $0.1, nearness: nearness) })
    }

    /// Looks at so many frames; objects are seen whenever a look has them whole and near enough.
    private func looks(
        _ boxes: [Box], frames: Int, nearness: Double = 1, luma: (Int) -> LumaPlane? = { _ in nil }
    ) -> [(part: Box?, reason: PartChoice.Reason)] {
        var choice = PartChoice()
        var seen = [Nanoseconds](repeating: 0, count: boxes.count)
        return (0..<frames).map { frame in
            let time = Nanoseconds(frame) * 40_000_000
            if frame > 0 { choice.note(outlook(boxes, at: time, seen: seen, nearness: nearness)) }
            let look = choice.next(at: time, in: Self.picture, luma: luma(frame))
            let part = SeenPart(look.part, width: 1920, height: 1080)
            for index in boxes.indices where !part.cuts(boxes[index]) && part.magnification * 1.25 >= nearness {
                seen[index] = time
            }
            return look
        }
    }

    @Test func theWholeIsNeverForgottenAndEveryPlaceIsLookedAtNearby() {
        let looks = looks([], frames: 250)
        #expect(looks[0].part == nil)
        for window in stride(from: 0, to: 239, by: 1) {
            #expect(looks[window...window + 10].contains { $0.part == nil })
        }
        let parts = looks.compactMap(\.part)
        for x in stride(from: 10.0, to: 1920, by: 60) {
            for y in stride(from: 10.0, to: 1080, by: 60) {
                #expect(parts.contains { $0.minX <= x && x <= $0.maxX && $0.minY <= y && y <= $0.maxY })
            }
        }
    }

    @Test func whatIsSmallIsLookedAtNearby() {
        let small = (0..<3).map { Box(x: 1300 + 60 * Double($0), y: 700, width: 20, height: 50) }
        let looks = looks(small, frames: 100, nearness: 3)
        let near = looks.compactMap(\.part).filter { part in small.allSatisfy { $0.intersection(part) == $0 } }
        #expect(near.count > 50)
        #expect(looks.contains { $0.reason == .objects })
    }

    @Test func whatIsLargeIsLookedAtInTheWhole() {
        let large = (0..<4).map { Box(x: 100 + 450 * Double($0), y: 200, width: 300, height: 700) }
        #expect(looks(large, frames: 100).count { $0.part == nil } > 80)
    }

    @Test func noKnownObjectIsCut() {
        let boxes = [
            Box(x: 300, y: 300, width: 40, height: 90), Box(x: 1000, y: 500, width: 60, height: 120),
            Box(x: 1500, y: 850, width: 40, height: 100), Box(x: 880, y: 60, width: 30, height: 60),
        ]
        for look in looks(boxes, frames: 200, nearness: 3) {
            guard let part = look.part else { continue }
            for box in boxes {
                let share = box.intersection(part).area / box.area
                #expect(share == 0 || share == 1)
            }
        }
    }

    /// A block that goes to and fro in a corner, of which nobody knows.
    @Test func whatMovesIsLookedAtSoon() {
        func plane(_ frame: Int) -> LumaPlane? {
            let (width, height) = (320, 180)
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: width * height)
            pixels.initialize(repeating: 90)
            let left = 260 + frame * 3 % 40
            for y in 140..<156 { for x in left..<left + 8 { pixels[y * width + x] = 220 } }
            return LumaPlane(
                adopting: pixels, width: width, height: height, scaleX: 6, scaleY: 6,
                time: Nanoseconds(frame) * 40_000_000)
        }
        let looks = looks([], frames: 40, luma: plane)
        #expect(looks.contains { $0.reason == .motion && ($0.part?.maxX ?? 0) > 1600 && ($0.part?.maxY ?? 0) > 900 })
        // Light that comes on everywhere is nothing that moves.
        let flicker = self.looks([], frames: 40) { frame in
            let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 320 * 180)
            pixels.initialize(repeating: frame % 2 == 0 ? 90 : 140)
            return LumaPlane(adopting: pixels, width: 320, height: 180, scaleX: 6, scaleY: 6, time: 0)
        }
        #expect(!flicker.contains { $0.reason == .motion })
    }

    @Test func whatHasNoPartsIsLookedAtWhole() {
        var choice = PartChoice()
        let tiny = PartChoice.Picture(width: 160, height: 120, input: InputSize(width: 320, height: 320))
        for frame in 0..<20 {
            #expect(choice.next(at: Nanoseconds(frame) * 40_000_000, in: tiny, luma: nil).part == nil)
        }
        // Another picture, upright after a turn, and times that go back.
        let turned = PartChoice.Picture(
            width: 1080, height: 1920, turned: true, input: InputSize(width: 416, height: 320))
        choice.note(Outlook(time: 0, places: [Outlook.Place(box: Box(x: .nan, y: 0, width: .infinity, height: 1))]))
        for time in [0, 40_000_000, -5, Nanoseconds.max, Nanoseconds.min, 0] {
            if let part = choice.next(at: time, in: turned, luma: nil).part {
                #expect(part.minX >= 0 && part.minY >= 0 && part.maxX <= 1080 && part.maxY <= 1920)
            }
        }
    }
}
