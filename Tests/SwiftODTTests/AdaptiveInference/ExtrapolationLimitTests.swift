import Testing

@testable import SwiftODT

/// Protects for how long a box is carried before it is looked at again.
@Suite struct ExtrapolationLimitTests {
    /// Somebody whose box was carried for half a second, and ended so far off.
    private static func place(_ error: Double, x: Double = 100, y: Double = 100) -> TrackerSnapshot.ObjectState {
        TrackerSnapshot.ObjectState(
            box: Box(x: x, y: y, width: 40, height: 80), carried: TrackerSnapshot.PropagationQuality(over: 500_000_000, error: error))
    }

    /// The first of the tenths of a second after which the first of some is to be looked at again.
    private static func limit(_ places: TrackerSnapshot.ObjectState...) -> Double? {
        let boxes = ContiguousArray(places.map(\.box))
        let picture = Box(x: 0, y: 0, width: 640, height: 360)
        return (1...100).lazy.map { Double($0) / 10 }.first {
            ExtrapolationLimit.isReached(after: $0, 0, of: places, at: boxes, in: picture)
        }
    }

    /// Errors grow as they did, so that what went twice as well is carried for twice as long.
    @Test func accurateExtrapolationExtendsLimit() {
        #expect(Self.limit(Self.place(0.55)) == 0.5)
        #expect(Self.limit(Self.place(0.275)) == 1)
        #expect(Self.limit(Self.place(0.1375)) == 2)
    }

    /// However well that went: who turns or goes behind something does so without notice.
    @Test func extrapolationIsLimitedToFourSeconds() {
        #expect(Self.limit(Self.place(0.0625)) == 4)
        #expect(Self.limit(Self.place(0.03)) == 4)
        #expect(Self.limit(Self.place(0)) == 4)
    }

    @Test func newTrackHasShortLimit() {
        #expect(Self.limit(TrackerSnapshot.ObjectState(box: Box(x: 100, y: 100, width: 40, height: 80))) == 0.2)
    }

    /// Who are near each other are easily taken for each other, and more so where they overlap.
    @Test func nearbyObjectsShortenLimit() {
        let alone = Self.limit(Self.place(0.275), Self.place(0.275, x: 400))
        let near = Self.limit(Self.place(0.275), Self.place(0.275, x: 150))
        let overlapping = Self.limit(Self.place(0.275), Self.place(0.275, x: 120))
        #expect(alone == 1)
        #expect(near == 0.8)
        #expect(overlapping == 0.1)
    }

    /// Of whoever goes out at a side little is left to tell by; whose feet are below the picture may stay there.
    @Test func objectLeavingPictureIsExtrapolatedHalfASecond() {
        #expect(Self.limit(Self.place(0.03, x: 600)) == 0.5)
        #expect(Self.limit(Self.place(0.03, x: -20)) == 0.5)
        #expect(Self.limit(Self.place(0.03, y: 280)) == 4)
        let car = Box(x: 100, y: -10, width: 120, height: 60)
        let known = TrackerSnapshot.PropagationQuality(over: 500_000_000, error: 0.03)
        #expect(Self.limit(TrackerSnapshot.ObjectState(box: car, carried: known)) == 0.5)
    }
}
