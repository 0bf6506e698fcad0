import Testing

@testable import SwiftODT

/// Protects where is looked next: at what is small, at what moves, everywhere in the end, and through nobody.
@Suite struct PartChoiceTests {
    private static let picture = PartChoice.Picture(
        width: 1920, height: 1080, input: InputSize(width: 320, height: 320))

    private func outlook(_ boxes: [Box], at time: Nanoseconds, seen: [Nanoseconds], nearness: Double) -> Outlook {
        Outlook(
            answered: time,
            places: zip(boxes, seen).map { Outlook.Place(box: $0.0, lastSeen: $0.1, nearness: nearness) })
    }

    /// Looks at so many frames; objects are seen whenever a look has them whole and near enough.
    private func looks(
        _ boxes: [Box], frames: Int, apart: Nanoseconds = 40_000_000, nearness: Double = 1,
        because cause: (Int) -> Attention.Reason = { _ in .interval },
        luma: (Int) -> LumaPlane? = { _ in nil }
    ) -> [(part: Box?, reason: PartChoice.Reason)] {
        var choice = PartChoice()
        var seen = [Nanoseconds](repeating: 0, count: boxes.count)
        return (0..<frames).map { frame in
            let time = Nanoseconds(frame) * apart
            if frame > 0 { choice.note(outlook(boxes, at: time, seen: seen, nearness: nearness)) }
            let look = choice.next(at: time, because: cause(frame), in: Self.picture, luma: luma(frame))
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

    /// Of a video with two frames a second, or every twelfth frame: each look comes later than the whole may be done without.
    @Test(arguments: [Attention.Reason.interval, .drift, .missed])
    func whereLooksAreFarApartPartsHaveTheirTurn(_ cause: Attention.Reason) {
        let small = (0..<3).map { Box(x: 1300 + 60 * Double($0), y: 700, width: 20, height: 50) }
        let looks = looks(small, frames: 60, apart: 1_000_000_000, nearness: 3, because: { _ in cause })
        let near = looks.compactMap(\.part).filter { part in small.allSatisfy { $0.intersection(part) == $0 } }
        #expect(near.count >= 20)
        #expect(looks.count { $0.part == nil } >= 20)
    }

    @Test func whatIsLargeIsLookedAtInTheWhole() {
        let large = (0..<4).map { Box(x: 100 + 450 * Double($0), y: 200, width: 300, height: 700) }
        #expect(looks(large, frames: 100).count { $0.part == nil } > 80)
    }

    /// Who comes next is told of at once, as the whole shows it; but what moves there and stays without a name may need a nearer look.
    @Test func anEmptyPictureSaysNothingOfNearerLooksUnlessSomethingMoves() {
        func wholes(_ luma: (Int) -> LumaPlane?) -> Int {
            var choice = PartChoice()
            let large = [Box(x: 300, y: 200, width: 300, height: 700)]
            return (0..<300).count { frame in
                let time = Nanoseconds(frame) * 40_000_000
                let boxes = frame < 100 ? large : []
                choice.note(outlook(boxes, at: time, seen: [time], nearness: 1))
                return choice.next(at: time, in: Self.picture, luma: luma(frame)).part == nil && frame >= 150
            }
        }
        #expect(wholes { _ in nil } > 100)
        #expect(wholes(Self.block) < 50)
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

    /// A block that goes to and fro in a corner.
    private static func block(_ frame: Int) -> LumaPlane {
        let left = 120 + frame * 3 % 24
        return plane { x, y in y >= 64 && y < 80 && x >= left && x < left + 8 ? 220 : 90 }
    }

    private static func plane(_ level: (Int, Int) -> Int) -> LumaPlane {
        let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 160 * 90)
        for y in 0..<90 { for x in 0..<160 { pixels[y * 160 + x] = UInt8(clamping: level(x, y)) } }
        return LumaPlane(adopting: pixels, width: 160, height: 90, scaleX: 12, scaleY: 12, time: 0)
    }

    @Test func whatMovesAndNobodyKnowsIsLookedAtSoon() {
        let looks = looks([], frames: 40, luma: Self.block)
        #expect(looks.contains { $0.reason == .motion && ($0.part?.maxX ?? 0) > 1600 && ($0.part?.maxY ?? 0) > 900 })
        let known = self.looks([Box(x: 1440, y: 760, width: 390, height: 210)], frames: 20, luma: Self.block)
        #expect(!known.contains { $0.reason == .motion })
        let backdrop = self.looks([Box(x: 100, y: 30, width: 1780, height: 1040)], frames: 40, luma: Self.block)
        #expect(backdrop.contains { $0.reason == .motion && ($0.part?.maxX ?? 0) > 1600 && ($0.part?.maxY ?? 0) > 900 })
    }

    /// Somebody before a bus that fills the picture and moves itself: the bus explains what moves, whoever is told of first.
    @Test func whoIsToldOfFirstDecidesNothing() {
        func moving(_ frame: Int) -> LumaPlane {
            Self.plane { x, y in y >= 10 && y < 80 && (x + 3 * frame) / 12 % 2 == 0 && x >= 10 && x < 150 ? 220 : 90 }
        }
        let (bus, person) = (
            Box(x: 100, y: 110, width: 1720, height: 860), Box(x: 200, y: 120, width: 1500, height: 840)
        )
        for known in [[bus, person], [person, bus]] {
            #expect(!looks(known, frames: 40, luma: moving).contains { $0.reason == .motion })
        }
    }

    /// Who comes in at the picture's edge is first seen by half; a part would show no more of it, or cut it. Where each frame is looked at
    /// anyway, parts go on to be looked at.
    @Test(arguments: [(Attention.Reason.motion, true), (.interval, false)])
    func somebodyLargeWhoComesIsLookedAtInTheWhole(_ cause: Attention.Reason, _ alone: Bool) {
        let looks = looks([], frames: 125, because: { $0 < 100 ? .interval : cause }) { frame in
            let right = frame < 100 ? 0 : 4 + 3 * (frame - 100)
            return Self.plane { x, y in y >= 60 && x < right && x >= right - 30 ? 220 : 90 }
        }
        #expect(looks[80..<100].contains { $0.part != nil })
        #expect(looks[100..<125].allSatisfy { $0.part == nil } == alone)
    }

    /// Who stands in plain sight is seen again with every look at the whole; what is small and has not been found yet has its turn even so, on
    /// every level, however many stand there and however rarely is looked.
    @Test(arguments: [(3, 33), (12, 33), (12, 200), (3, 1000)]) func plainSightHidesNoPlaces(_ count: Int, _ apart: Int)
    {
        let standing = (0..<count).map { Box(x: 100 + 140 * Double($0), y: 300, width: 110, height: 500) }
        let looks = looks(standing, frames: 120_000 / apart, apart: Nanoseconds(apart) * 1_000_000)
        let widths = Set(looks.dropFirst(looks.count / 6).compactMap { $0.part?.width.rounded() })
        #expect(widths.count >= (apart < 1000 ? 3 : 2), "\(widths)")
        #expect(looks.count { $0.part == nil } > looks.count / 2)
    }

    /// A camera's clock changes too few pixels to be worth a look, and keeps nobody from looking around.
    @Test func aSmallClockForbidsNoLeisure() {
        let looks = looks([], frames: 20, apart: 4_000_000_000, because: { _ in .quiet }) { second in
            Self.plane { x, y in x == 150 && y >= 5 && y < 8 && second % 2 == 0 ? 250 : 90 }
        }
        #expect(looks.count { $0.part != nil } > 10)
    }

    /// In a crowd it is looked for those who have waited longest, and all of it explains what moves.
    @Test func inACrowdEverybodyHasTheirTurn() {
        let crowd = (0..<300).map {
            Box(x: 20 + 90 * Double($0 % 20), y: 30 + 65 * Double($0 / 20), width: 20, height: 40)
        }
        var choice = PartChoice()
        var seen = [Nanoseconds](repeating: 0, count: crowd.count)
        var near = [Int](repeating: 0, count: crowd.count)
        for frame in 0..<400 {
            let time = Nanoseconds(frame) * 40_000_000
            choice.note(outlook(crowd, at: time, seen: seen, nearness: 3))
            guard let part = choice.next(at: time, in: Self.picture, luma: nil).part else { continue }
            for index in crowd.indices where crowd[index].intersection(part) == crowd[index] {
                seen[index] = time
                near[index] += 1
            }
        }
        #expect(near[150...].count { $0 == 0 } < 15)
    }

    /// What is known of large objects is asked for and told, however long nobody has looked elsewhere.
    @Test(arguments: [(Attention.Reason.drift, false), (.missed, false), (.newcomer, false), (.interval, true)])
    func whoAsksIsAnsweredBeforeItIsLookedAround(_ cause: Attention.Reason, _ looksAround: Bool) {
        let large = Box(x: 800, y: 200, width: 300, height: 700)
        let parts = parts(40, apart: 150_000_000, because: cause, knowing: large, nearness: 1)
        #expect(parts.allSatisfy { $0 == nil } == !looksAround)
    }

    /// Somebody has just been found nearby: the look that this asks for shows them, though others have not been seen for longer.
    @Test func aNewcomerIsLookedAtWhereItWasFound() throws {
        let crowd = (0..<2).map { Box(x: 1500 + 60 * Double($0), y: 900, width: 20, height: 50) }
        let boxes = [Box(x: 200, y: 200, width: 20, height: 50)] + crowd
        var choice = PartChoice()
        _ = choice.next(at: 0, in: Self.picture, luma: nil)
        var known = outlook(boxes, at: 40_000_000, seen: Array(repeating: -600_000_000, count: 3), nearness: 3)
        known.places[0].isProved = false
        known.places[0].lastSeen = 40_000_000
        choice.note(known)
        for time: Nanoseconds in [80_000_000, 1_000_000_000] {
            let part = try #require(choice.next(at: time, because: .newcomer, in: Self.picture, luma: nil).part)
            #expect(boxes[0].intersection(part) == boxes[0])
        }
    }

    /// A box shows something else than it did: that is looked at, though others have not been seen for longer.
    @Test func aDoubtfulBoxIsLookedAt() throws {
        let crowd = (0..<2).map { Box(x: 1500 + 60 * Double($0), y: 900, width: 20, height: 50) }
        let boxes = [Box(x: 200, y: 200, width: 20, height: 50)] + crowd
        let shown = try [Attention.Reason.drift, .doubt].map { cause in
            var choice = PartChoice()
            _ = choice.next(at: 0, in: Self.picture, luma: nil)
            var known = outlook(
                boxes, at: 600_000_000, seen: [300_000_000, 200_000_000, 200_000_000], nearness: 3)
            known.places[0].likeness = 0.3
            choice.note(known)
            let part = try #require(choice.next(at: 640_000_000, because: cause, in: Self.picture, luma: nil).part)
            return boxes[0].intersection(part) == boxes[0]
        }
        #expect(shown == [false, true])
    }

    /// Whom the whole alone shows is looked for within a second, though newcomers elsewhere ask in frame after frame.
    @Test func newcomersWhoKeepAskingLeaveTheWholeItsTurn() {
        let looks = parts(100, apart: 40_000_000, because: .newcomer, knowing: Self.small, nearness: 3, isProved: false)
        let wholes = looks.indices.filter { looks[$0] == nil }
        #expect(wholes.count < 20)
        #expect(zip(wholes, wholes.dropFirst()).allSatisfy { ($1 - $0) * 40 <= 1000 } && (wholes.last ?? 0) > 70)
    }

    /// Where looks are few, the whole takes no more of them than where each frame is looked at.
    @Test func whoAsksForWhatIsSmallIsSeldomSentToTheWhole() {
        let looks = parts(60, apart: 150_000_000, because: .drift, knowing: Self.small, nearness: 3)
        let wholes = looks.count { $0 == nil }
        #expect(wholes >= 5 && wholes <= 16)
    }

    /// Looks of leisure are seconds apart: they go everywhere in turns, though nothing has been found there so far, and the whole is one
    /// of those turns.
    @Test func leisureIsForWhatNobodyHasSeenForLongest() {
        let large = Box(x: 800, y: 200, width: 300, height: 700)
        let parts = parts(100, apart: 4_000_000_000, because: .quiet, knowing: large, nearness: 1)
        #expect(parts[0] == nil && parts[1] != nil && parts[2] != nil)
        #expect(parts.count { $0 == nil } >= 15 && parts.count { $0 == nil } <= 40)
        #expect(Set(parts.compactMap { $0 }).count >= 25)
    }

    private static let small = Box(x: 1300, y: 700, width: 20, height: 50)

    /// What is looked at, look after look for one reason, where one object is known that each look finds again; `nil` for the whole.
    private func parts(
        _ count: Int, apart: Nanoseconds, because cause: Attention.Reason, knowing box: Box, nearness: Double,
        isProved: Bool = true
    ) -> [Box?] {
        var choice = PartChoice()
        return (0..<count).map { number in
            let time = Nanoseconds(number) * apart
            let part = choice.next(at: time, because: cause, in: Self.picture, luma: nil).part
            var known = outlook([box], at: time, seen: [time], nearness: nearness)
            known.places[0].isProved = isProved
            choice.note(known)
            return part
        }
    }

    /// Somebody known goes on, and has only been carried since the last look: no leisure.
    @Test func whereSomebodyKnownMovesThereIsNoLeisure() {
        let giant = [Box(x: 1440, y: 0, width: 390, height: 1080)]
        var choice = PartChoice()
        for number in 0..<50 {
            let time = Nanoseconds(number) * 1_000_000_000
            let part = choice.next(at: time, because: .quiet, in: Self.picture, luma: Self.block(number)).part
            choice.note(outlook(giant, at: time, seen: [time], nearness: 1))
            #expect(part == nil)
        }
    }

    /// Of another scene nothing is known, also where nobody would have been due to look at the whole of it yet.
    @Test func anotherSceneBeginsWithTheWhole() {
        var choice = PartChoice()
        var isWhole: [Bool] = []
        for number in 0..<60 {
            let time = Nanoseconds(number) * 40_000_000
            isWhole.append(choice.next(at: time, because: .drift, in: Self.picture, luma: nil).part == nil)
            var known = outlook([Self.small], at: time, seen: [time], nearness: 3)
            // It is known once its frame is finished.
            known.lastCut = number >= 30 ? 30 * 40_000_000 : nil
            choice.note(known)
        }
        #expect(isWhole[30] || isWhole[31])
        #expect(isWhole.count { $0 } < 20)
    }

    /// Light that comes on everywhere is nothing that moves.
    @Test func whatChangesEverywhereIsNoMotion() {
        let flicker = looks([], frames: 20, luma: { frame in Self.plane { _, _ in frame % 2 == 0 ? 90 : 140 } })
        #expect(!flicker.contains { $0.reason == .motion })
    }

    /// Live, a look begins before it is known what the one before has told: it goes elsewhere nevertheless.
    @Test func whatTheLatestLookShowsIsNotLookedAtAgainBeforeItsAnswer() throws {
        let (many, few) = (0..<3, 3..<5)
        let boxes = (0..<5).map {
            many.contains($0)
                ? Box(x: 100 + 60 * Double($0), y: 100, width: 30, height: 60)
                : Box(x: 1500 + 60 * Double($0), y: 900, width: 30, height: 60)
        }
        var choice = PartChoice()
        _ = choice.next(at: 0, in: Self.picture, luma: nil)
        choice.note(outlook(boxes, at: 0, seen: Array(repeating: -900_000_000, count: 5), nearness: 3))
        let parts = try (1...2).map { number in
            try #require(
                choice.next(at: Nanoseconds(number) * 40_000_000, in: Self.picture, luma: nil).part)
        }
        #expect(boxes[many].allSatisfy { $0.intersection(parts[0]) == $0 })
        #expect(boxes[few].allSatisfy { $0.intersection(parts[1]) == $0 })
    }

    /// What is known of hope follows looks: frames that go by without one teach nothing.
    @Test func framesThatAreNotLookedAtTeachNothing() {
        let large = (0..<2).map { Box(x: 100 + 900 * Double($0), y: 200, width: 300, height: 700) }
        let parts = [1, 12].map { notes in
            var choice = PartChoice()
            return (0..<50).map { frame in
                let time = Nanoseconds(frame) * 40_000_000
                for _ in 0..<notes { choice.note(outlook(large, at: time, seen: [time, time], nearness: 1)) }
                return choice.next(at: time, in: Self.picture, luma: nil).part
            }
        }
        #expect(parts[0] == parts[1])
        #expect(parts[0].contains { $0 != nil })
    }

    @Test func whatHasNoPartsIsLookedAtWhole() {
        var choice = PartChoice()
        let tiny = PartChoice.Picture(width: 160, height: 120, input: InputSize(width: 320, height: 320))
        for frame in 0..<20 {
            let time = Nanoseconds(frame) * 40_000_000
            #expect(choice.next(at: time, in: tiny, luma: nil).part == nil)
        }
        // Another picture, upright after a turn, and times that go back.
        let turned = PartChoice.Picture(
            width: 1080, height: 1920, turned: true, input: InputSize(width: 416, height: 320))
        choice.note(Outlook(places: [Outlook.Place(box: Box(x: .nan, y: 0, width: .infinity, height: 1))]))
        for time in [0, 40_000_000, -5, Nanoseconds.max, Nanoseconds.min, 0] {
            if let part = choice.next(at: time, in: turned, luma: nil).part {
                #expect(part.minX >= 0 && part.minY >= 0 && part.maxX <= 1080 && part.maxY <= 1920)
            }
        }
    }
}
