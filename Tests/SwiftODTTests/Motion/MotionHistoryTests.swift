import Testing

@testable import SwiftODT

/// Protects things that move from being taken for others: ages, ways, passing each other, falling into parts.
@Suite struct MotionHistoryTests {
    private static let step = 0.1

    private func sighting(_ x: Double, _ y: Double = 50, width: Double = 20, height: Double = 20)
        -> MotionHistory.Sighting
    {
        MotionHistory.Sighting(box: Box(x: x, y: y, width: width, height: height), contrast: 0.8)
    }

    @Test func whatGoesOnGetsOlderAndFaster() throws {
        var history = MotionHistory()
        for number in 0..<11 { history.advance([sighting(Double(number) * 3)], elapsed: Self.step) }
        let thing = try #require(history.things.first)
        #expect(history.things.count == 1)
        #expect(abs(thing.age - 1) < 1e-9)
        #expect(abs(thing.velocityX - 30) < 3)
        #expect(thing.velocityY == 0)
    }

    @Test func whatIsElsewhereIsNew() {
        var history = MotionHistory()
        for _ in 0..<5 { history.advance([sighting(0)], elapsed: Self.step) }
        history.advance([sighting(11)], elapsed: Self.step)
        #expect(history.things.map(\.age) == [0])
        history.advance([sighting(11 + 9)], elapsed: Self.step)
        #expect(history.things.map(\.age) == [Self.step])
    }

    @Test func whatIsSeenNoMoreIsForgotten() {
        var history = MotionHistory()
        history.advance([sighting(0)], elapsed: Self.step)
        history.advance([], elapsed: Self.step)
        #expect(history.things.isEmpty)
        history.advance([sighting(0)], elapsed: Self.step)
        history.forget()
        #expect(history.things.isEmpty)
    }

    @Test func twoThatPassEachOtherStayTwo() {
        var history = MotionHistory()
        for number in 0..<8 {
            history.advance([sighting(Double(number) * 4), sighting(90 - Double(number) * 4)], elapsed: Self.step)
        }
        // They are one region for a while.
        for number in 8..<14 {
            let (left, right) = (Double(number) * 4, 90 - Double(number) * 4)
            let (from, to) = (min(left, right), max(left, right) + 20)
            history.advance([sighting(from, width: to - from)], elapsed: Self.step)
            #expect(history.things.count == 2)
        }
        #expect(history.things.allSatisfy { $0.age > 1 && $0.mergedFor > 0.4 && $0.box.width == 20 })
    }

    @Test func twoThatGoTogetherBecomeOne() {
        var history = MotionHistory()
        for number in 0..<8 {
            history.advance([sighting(Double(number) * 2), sighting(Double(number) * 2 + 21)], elapsed: Self.step)
        }
        history.advance([sighting(16, width: 41)], elapsed: Self.step)
        #expect(history.things.count == 1)
    }

    @Test func partsOfAKnownThingAreOneForAWhile() throws {
        var history = MotionHistory()
        for _ in 0..<8 { history.advance([sighting(40, width: 30, height: 40)], elapsed: Self.step) }
        let halves = [sighting(40, 50, width: 30, height: 18), sighting(40, 72, width: 30, height: 18)]
        var counts: [Int] = []
        for _ in 0..<8 {
            history.advance(halves, elapsed: Self.step)
            counts.append(history.things.count)
        }
        #expect(counts.first == 1)
        #expect(counts.last == 2)
        #expect((3...5).contains(counts.filter { $0 == 1 }.count))
    }
}
