import Testing

@testable import SwiftODT

/// Tests how long a box is extrapolated before the next inference.
@Suite struct ExtrapolationLimitTests {
    /// Returns an object with a box that was extrapolated for 0.5 s with the given final error.
    private static func place(_ error: Double, x: Double = 100, y: Double = 100) -> TrackerSnapshot.ObjectState {
        TrackerSnapshot.ObjectState(
            box: Box(x: x, y: y, width: 40, height: 80),
            carried: (500_000_000, error))
    }

    /// Returns the time, in steps of 0.1 s, after which the first object reaches its limit.
    private static func limit(_ places: TrackerSnapshot.ObjectState...) -> Double? {
        let boxes = ContiguousArray(places.map(\.box))
        let picture = Box(x: 0, y: 0, width: 640, height: 360)
        return (1...100).lazy.map { Double($0) / 10 }.first {
            ExtrapolationLimit.isReached(after: $0, 0, of: places, at: boxes, in: picture)
        }
    }

    /// The error is assumed to grow at its last rate, so half the error doubles the limit.
    @Test func accurateExtrapolationExtendsLimit() {
        #expect(Self.limit(Self.place(0.55)) == 0.5)
        #expect(Self.limit(Self.place(0.275)) == 1)
        #expect(Self.limit(Self.place(0.1375)) == 2)
    }

    /// Even an accurate object can turn or become occluded without notice.
    @Test func extrapolationIsLimitedToFourSeconds() {
        #expect(Self.limit(Self.place(0.0625)) == 4)
        #expect(Self.limit(Self.place(0.03)) == 4)
        #expect(Self.limit(Self.place(0)) == 4)
    }

    @Test func newTrackHasShortLimit() {
        #expect(Self.limit(TrackerSnapshot.ObjectState(box: Box(x: 100, y: 100, width: 40, height: 80))) == 0.2)
    }

    /// Neighbouring objects are easily confused, overlapping ones even more.
    @Test func nearbyObjectsShortenLimit() {
        let alone = Self.limit(Self.place(0.275), Self.place(0.275, x: 400))
        let near = Self.limit(Self.place(0.275), Self.place(0.275, x: 150))
        let overlapping = Self.limit(Self.place(0.275), Self.place(0.275, x: 120))
        #expect(alone == 1)
        #expect(near == 0.8)
        #expect(overlapping == 0.1)
    }

    /// An object that leaves at a side soon shows too little to be detected. An object cut by the lower edge may stay.
    @Test func objectLeavingPictureIsExtrapolatedHalfASecond() {
        #expect(Self.limit(Self.place(0.03, x: 600)) == 0.5)
        #expect(Self.limit(Self.place(0.03, x: -20)) == 0.5)
        #expect(Self.limit(Self.place(0.03, y: 280)) == 4)
        let car = Box(x: 100, y: -10, width: 120, height: 60)
        let known: (span: Nanoseconds, error: Double) = (500_000_000, 0.03)
        #expect(Self.limit(TrackerSnapshot.ObjectState(box: car, carried: known)) == 0.5)
    }
}
