import Testing

@testable import SwiftODT

/// Tests the marks of foreground pixels and the update of the background.
@Suite struct BackgroundModelTests {
    private static let (width, height) = (24, 16)
    private static let ground = DrawnGrid.pixels(width: width, height: height) { x, _ in 90 + x }

    /// Returns the background with a square of 6 x 6 pixels that is `lighter` levels brighter.
    private static func withSquare(_ lighter: Int) -> [UInt8] {
        DrawnGrid.pixels(width: width, height: height) { x, y in
            90 + x + ((8..<14).contains(x) && (5..<11).contains(y) ? lighter : 0)
        }
    }

    private static let inside = 8 * width + 11
    private static let outside = 2 * width + 2

    @Test func anEmptySceneHasNoMarks() {
        let background = DrawnGrid.background(Self.ground, width: Self.width)
        background.compare(Self.ground, light: LightChange())
        #expect(DrawnGrid.rows(background.marks).allSatisfy { !$0.contains("#") })
    }

    @Test(arguments: [
        (6, BackgroundModel.Mark.background), (13, BackgroundModel.Mark.weak), (60, BackgroundModel.Mark.strong),
    ])
    func marksFollowTheDifference(_ lighter: Int, _ mark: UInt8) {
        let background = DrawnGrid.background(Self.ground, width: Self.width)
        for sign in [1, -1] {
            background.compare(Self.withSquare(sign * lighter), light: LightChange())
            #expect(background.marks.base[Self.inside] == mark)
            #expect(background.marks.base[Self.outside] == BackgroundModel.Mark.background)
        }
    }

    @Test func globalLightChangeIsNoDifference() {
        let background = DrawnGrid.background(Self.ground, width: Self.width)
        let lit = DrawnGrid.pixels(width: Self.width, height: Self.height) { x, _ in 90 + x + 40 }
        background.compare(lit, light: LightChange(gain: 1, offset: 40))
        #expect(background.marks.base[Self.inside] == BackgroundModel.Mark.background)
        background.compare(lit, light: LightChange())
        #expect(background.marks.base[Self.inside] == BackgroundModel.Mark.strong)
    }

    /// The background behind an object must not be updated, or it would become the object.
    @Test func backgroundBehindObjectIsKept() {
        let background = DrawnGrid.background(Self.ground, width: Self.width)
        let frame = Self.withSquare(60)
        let objects = frame.indices.map { frame[$0] == Self.ground[$0] ? UInt8(0) : 1 }
        let before = background.level.base[Self.inside]
        for _ in 0..<30 {
            background.compare(frame, light: LightChange())
            background.learn(frame, causes: objects, elapsed: 0.1)
        }
        #expect(abs(background.level.base[Self.inside] - before) < 1)
        #expect(background.stillFor.base[Self.inside] > 2.5)
    }

    /// Objects and shadows that pass a pixel must not raise its activity, or the next object there would be missed.
    @Test(arguments: [BackgroundModel.Cause.confirmed, BackgroundModel.Cause.shadow])
    func objectsAndShadowsDoNotRaiseActivity(_ cause: UInt8) {
        func activity(_ cause: UInt8) -> Float {
            let background = DrawnGrid.background(Self.ground, width: Self.width)
            let nothing = [UInt8](repeating: 0, count: Self.ground.count)
            let frame = Self.withSquare(60)
            let causes = frame.indices.map { frame[$0] == Self.ground[$0] ? UInt8(0) : cause }
            for _ in 0..<4 {
                background.compare(frame, light: LightChange())
                background.learn(frame, causes: causes, elapsed: 0.1)
                background.compare(Self.ground, light: LightChange())
                background.learn(Self.ground, causes: nothing, elapsed: 0.1)
            }
            return background.activity.base[Self.inside]
        }
        #expect(activity(cause) == 0)
        #expect(activity(BackgroundModel.Cause.object) > 4)
    }

    @Test func backgroundFollowsSlowChanges() {
        let background = DrawnGrid.background(Self.ground, width: Self.width)
        let nothing = [UInt8](repeating: 0, count: Self.ground.count)
        let later = Self.withSquare(6)
        for _ in 0..<60 {
            background.compare(later, light: LightChange())
            background.learn(later, causes: nothing, elapsed: 0.1)
        }
        #expect(abs(background.level.base[Self.inside] - Float(later[Self.inside])) < 1)
    }

    /// A pixel that alternates between levels, as behind leaves, gets a higher threshold.
    @Test func activePixelsGetHigherThreshold() {
        let background = DrawnGrid.background(Self.ground, width: Self.width)
        let nothing = [UInt8](repeating: 0, count: Self.ground.count)
        let calm = background.threshold(Self.inside)
        for number in 0..<20 {
            let frame = number % 2 == 0 ? Self.withSquare(25) : Self.ground
            background.compare(frame, light: LightChange())
            background.learn(frame, causes: nothing, elapsed: 0.05)
        }
        #expect(background.threshold(Self.inside) > calm + 15)
        #expect(background.threshold(Self.outside) < calm + 1)
    }

    @Test func previousBackgroundIsRecalled() {
        let background = DrawnGrid.background(Self.ground, width: Self.width)
        let nothing = [UInt8](repeating: 0, count: Self.ground.count)
        let frame = Self.withSquare(60)
        background.compare(frame, light: LightChange())
        for i in frame.indices where frame[i] != Self.ground[i] { background.absorb(i, frame[i]) }
        background.compare(frame, light: LightChange())
        #expect(background.marks.base[Self.inside] == BackgroundModel.Mark.background)
        for _ in 0..<4 {
            background.compare(Self.ground, light: LightChange())
            background.learn(Self.ground, causes: nothing, elapsed: 0.1)
            background.recall(Self.ground, light: LightChange())
        }
        #expect(abs(background.level.base[Self.inside] - Float(Self.ground[Self.inside])) < 3)
        background.compare(Self.ground, light: LightChange())
        #expect(background.marks.base[Self.inside] == BackgroundModel.Mark.background)
    }

    /// A background is remembered as the previous one after three seconds. A shorter one does not replace the
    /// background before it.
    @Test(arguments: [(25, true), (35, false)]) func shortBackgroundIsNotRemembered(_ frames: Int, _ isGround: Bool) {
        let background = DrawnGrid.background(Self.ground, width: Self.width)
        let nothing = [UInt8](repeating: 0, count: Self.ground.count)
        func absorb(_ frame: [UInt8]) {
            background.compare(frame, light: LightChange())
            for i in frame.indices where frame[i] != Self.ground[i] { background.absorb(i, frame[i]) }
        }
        let first = Self.withSquare(60)
        absorb(first)
        for _ in 0..<frames {
            background.compare(first, light: LightChange())
            background.learn(first, causes: nothing, elapsed: 0.1)
        }
        absorb(Self.withSquare(-60))
        let below = isGround ? Self.ground : first
        #expect(abs(background.previous.base[Self.inside] - Float(below[Self.inside])) < 2)
    }
}
