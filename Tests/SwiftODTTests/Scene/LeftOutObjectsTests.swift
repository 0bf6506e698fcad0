import Testing

@testable import SwiftODT

/// Tests the count of objects that `maxObjects` leaves out.
@Suite struct LeftOutObjectsTests {
    private func track(_ id: Int?, _ state: Track.State = .tracked) -> Track {
        Track(
            id: id, box: Box(x: 0, y: 0, width: 9, height: 9), score: 0.9, label: nil, state: state, firstSeen: 0,
            lastSeen: 0, timeSinceUpdate: 0)
    }

    @Test func eachTrackCountsOnce() {
        var leftOut = LeftOutObjects()
        leftOut.note([track(6), track(7)], beside: 5)
        leftOut.note([], beside: 5)
        leftOut.note([track(7), track(8)], beside: 5)
        #expect((leftOut.objects, leftOut.frames, leftOut.mostInAFrame) == (3, 2, 7))
    }

    /// Without ids a result holds until the next one.
    @Test func withoutTrackingEachDetectionCountsOnce() {
        var leftOut = LeftOutObjects()
        leftOut.note([track(nil, .new)], beside: 1)
        leftOut.note([track(nil, .coasting)], beside: 1)
        leftOut.note([track(nil, .new)], beside: 1)
        #expect((leftOut.objects, leftOut.frames) == (2, 3))
    }
}
