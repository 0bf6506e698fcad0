import Testing

@testable import SwiftODT

/// Tests the prominence value that ranks objects, and the hysteresis of the choice.
struct ProminenceTests {
    /// Returns a track with its centre at a place of the 1000 x 1000 picture. The default size is a tenth of the
    /// picture's side.
    private func track(_ id: Int?, at x: Double, _ y: Double, score: Double, side: Double = 100) -> Track {
        Track(id: id, box: Box(x: x - side / 2, y: y - side / 2, width: side, height: side), score: score)
    }

    private func ids(
        _ prominence: inout Prominence, _ tracks: [Track], limit: Int = 5, at seconds: Double = 0
    ) -> [Int] {
        prominence.choose(
            tracks, limit: limit, reportsCoasting: true, width: 1000, height: 1000, time: Nanoseconds(seconds * 1e9)
        ).compactMap(\.id)
    }

    // MARK: Prominence value

    @Test func higherScoreRanksFirst() {
        var prominence = Prominence()
        #expect(ids(&prominence, [track(1, at: 500, 500, score: 0.5), track(2, at: 500, 500, score: 0.6)]) == [2, 1])
    }

    @Test func largerObjectRanksFirst() {
        var prominence = Prominence()
        let tracks = [
            track(1, at: 500, 500, score: 0.5, side: 100), track(2, at: 500, 500, score: 0.5, side: 200),
        ]
        #expect(ids(&prominence, tracks) == [2, 1])
    }

    @Test func centralObjectRanksFirst() {
        var prominence = Prominence()
        let tracks = [track(1, at: 500, 200, score: 0.5), track(2, at: 400, 500, score: 0.5)]
        #expect(ids(&prominence, tracks) == [2, 1])
    }

    /// The documented weights are 0.4 for the score, 0.3 for the side and 0.3 for the closeness to the centre. Each
    /// pair is compared slightly to either side of the point where both objects are equal.
    @Test(arguments: [(0.74, [1, 2]), (0.76, [2, 1])]) func scoreAndSizeAreWeighted(
        score: Double, order: [Int]
    ) {
        // 0.3 * (0.3 - 0.1) for the side against 0.4 * (score - 0.6).
        var prominence = Prominence()
        let tracks = [
            track(1, at: 500, 500, score: 0.6, side: 300), track(2, at: 500, 500, score: score, side: 100),
        ]
        #expect(ids(&prominence, tracks) == order)
    }

    @Test(arguments: [(0.66, [1, 2]), (0.69, [2, 1])]) func centralityUsesCornerDistance(
        score: Double, order: [Int]
    ) {
        // Halfway to the right edge: (0.5 * 0.5 / 2) ^ 0.5 = 0.354 of the corner distance, which is 0.106 of the value.
        var prominence = Prominence()
        let tracks = [track(1, at: 500, 500, score: 0.41), track(2, at: 750, 500, score: score)]
        #expect(ids(&prominence, tracks) == order)
    }

    /// The area outside the picture does not count.
    @Test func onlyVisibleAreaCounts() {
        var prominence = Prominence()
        let outside = Track(id: 1, box: Box(x: -2000, y: 450, width: 2100, height: 100), score: 0.5)
        let inside = Track(id: 2, box: Box(x: 0, y: 420, width: 160, height: 160), score: 0.5)
        #expect(ids(&prominence, [outside, inside]) == [2, 1])
    }

    @Test func tiesAreBrokenByID() {
        var prominence = Prominence()
        let tracks = [3, 1, 2].map { track($0, at: 500, 500, score: 0.5) }
        #expect(ids(&prominence, tracks) == [1, 2, 3])
    }

    @Test func choiceRespectsLimit() {
        var prominence = Prominence()
        let tracks = (1...7).map { track($0, at: 500, 500, score: 0.9 - Double($0) / 20) }
        #expect(ids(&prominence, tracks, limit: 3) == [1, 2, 3])
    }

    // MARK: Hysteresis

    /// A slightly higher-ranking object does not replace a chosen one: chosen objects get a bonus of a fifth, and the
    /// first one another fifth.
    @Test(arguments: [(0.62, 1), (0.78, 1), (0.95, 2)]) func chosenObjectHasHysteresis(challenger: Double, first: Int) {
        var prominence = Prominence()
        _ = ids(&prominence, [track(1, at: 500, 500, score: 0.6)], limit: 1)
        // Prominence values: 0.57 times 1.44 against 0.4 * score + 0.33.
        let both = [track(1, at: 500, 500, score: 0.3), track(2, at: 500, 500, score: challenger)]
        #expect(ids(&prominence, both, limit: 1, at: 10) == [first])
    }

    /// The first of several reported objects is drawn with the thickest line, so the first rank has its own hysteresis.
    /// Chosen objects of lower rank have a bonus only against objects that are not chosen.
    @Test(arguments: [(0.8, [1, 2]), (1.0, [2, 1])]) func firstRankHasHysteresis(
        second: Double, order: [Int]
    ) {
        var prominence = Prominence()
        _ = ids(&prominence, [track(1, at: 500, 500, score: 0.6), track(2, at: 500, 500, score: 0.5)])
        // 0.47 times 1.44 is 0.677, against 0.4 * score + 0.33.
        let both = [track(1, at: 500, 500, score: 0.35), track(2, at: 500, 500, score: second)]
        #expect(ids(&prominence, both, at: 10) == order)
    }

    @Test(arguments: [(0.55, 2), (0.75, 3)]) func laterRanksHaveHysteresis(challenger: Double, second: Int) {
        var prominence = Prominence()
        let best = track(1, at: 500, 500, score: 1)
        _ = ids(&prominence, [best, track(2, at: 500, 500, score: 0.4)], limit: 2)
        // 0.49 * 1.2 = 0.588 against 0.4 * score + 0.33.
        let all = [best, track(2, at: 500, 500, score: 0.4), track(3, at: 500, 500, score: challenger)]
        #expect(ids(&prominence, all, limit: 2, at: 10) == [1, second])
    }

    /// A single low score is smoothed; after seconds only the new score counts.
    @Test(arguments: [(0.04, 1), (5, 2)]) func shortScoreDropIsSmoothed(seconds: Double, first: Int) {
        var prominence = Prominence()
        _ = ids(&prominence, [track(1, at: 500, 500, score: 0.9), track(2, at: 500, 500, score: 0.8)], limit: 1)
        let weak = [track(1, at: 500, 500, score: 0), track(2, at: 500, 500, score: 0.8)]
        #expect(ids(&prominence, weak, limit: 1, at: seconds) == [first])
    }

    /// The time constant is 0.5 s: a change then reaches 1 - 1/e.
    @Test func prominenceIsSmoothedOverHalfASecond() {
        // From 0.73 to 0.33: after 0.5 s, 0.33 + 0.4 / e = 0.477, and 1.44 times this is 0.687.
        for (challenger, first) in [(0.87, 1), (0.92, 2)] {
            var prominence = Prominence()
            _ = ids(&prominence, [track(1, at: 500, 500, score: 1)], limit: 1)
            let weak = [track(1, at: 500, 500, score: 0), track(2, at: 500, 500, score: challenger)]
            #expect(ids(&prominence, weak, limit: 1, at: 0.5) == [first])
        }
    }

    @Test func resetClearsHysteresis() {
        var prominence = Prominence()
        _ = ids(&prominence, [track(1, at: 500, 500, score: 0.6)], limit: 1)
        prominence.reset()
        let both = [track(1, at: 500, 500, score: 0.6), track(2, at: 500, 500, score: 0.62)]
        #expect(ids(&prominence, both, limit: 1, at: 0.1) == [2])
    }

    /// A parked truck that the detector misses does not hide a nearer car.
    @Test(arguments: [(Track.State.tracked, 1), (.coasting, 2)]) func onlyCoastingObjectIsReplacedAtOnce(
        state: Track.State, first: Int
    ) {
        var prominence = Prominence()
        var truck = track(1, at: 500, 500, score: 0.8)
        let car = track(2, at: 500, 500, score: 0.6)
        _ = ids(&prominence, [truck, car], limit: 1)
        (truck.score, truck.state) = (0.4, state)
        #expect(ids(&prominence, [truck, car], limit: 1, at: 0.04) == [first])
    }

    /// The second object is prominent only while the first one is missed.
    @Test(arguments: [Track.State.tracked, .coasting]) func missedObjectKeepsHysteresisIfCoastingIsNotReported(
        state: Track.State
    ) {
        var prominence = Prominence()
        var first = track(1, at: 500, 500, score: 0.8)
        let other = track(2, at: 500, 500, score: 0.7)
        func chosen(at seconds: Double) -> [Int] {
            prominence.choose(
                [first, other], limit: 1, reportsCoasting: false, width: 1000, height: 1000,
                time: Nanoseconds(seconds * 1e9)
            ).compactMap(\.id)
        }
        #expect(chosen(at: 0) == [1])
        first.state = state
        #expect(chosen(at: 0.04) == [state == .tracked ? 1 : 2])
        first.state = .tracked
        #expect(chosen(at: 0.08) == [1])
    }

    @Test func sceneKeepsProminentObjectAfterOneMissedDetection() throws {
        var options = SceneOptions()
        options.reportsCoasting = false
        let scene = Scene(options: options)
        var ids: [[Int]] = []
        for number in 0..<8 {
            let time = Nanoseconds(number) * 100_000_000
            scene.advance(to: time, width: 640, height: 480, luma: nil)
            let other = Detection(box: Box(x: 100, y: 190, width: 60, height: 60), score: 0.8)
            let prominent = Detection(box: Box(x: 270, y: 190, width: 100, height: 100), score: 0.8)
            scene.observe(number == 6 ? [other] : [other, prominent], seenAt: time)
            ids.append(try scene.objects(in: nil).compactMap(\.track.id))
        }
        #expect(ids[6].count == 1 && ids[6] != ids[5])
        #expect(ids[7].count == 1 && ids[7] == ids[5])
    }

    @Test func renamedObjectKeepsHysteresis() {
        var prominence = Prominence()
        _ = ids(&prominence, [track(2, at: 500, 500, score: 0.6)], limit: 1)
        prominence.rename(2, to: 1)
        let both = [track(1, at: 500, 500, score: 0.6), track(3, at: 500, 500, score: 0.8)]
        #expect(ids(&prominence, both, limit: 1, at: 0.1) == [1])
        prominence.rename(4, to: 1)
        #expect(ids(&prominence, both, limit: 1, at: 0.2) == [1], "an unknown id changes nothing")
    }

    /// Objects that are no longer chosen lose their bonus.
    @Test func unchosenObjectHasNoHysteresis() {
        var prominence = Prominence()
        let one = track(1, at: 500, 500, score: 0.6)
        _ = ids(&prominence, [one], limit: 1)
        _ = ids(&prominence, [one, track(2, at: 500, 500, score: 1, side: 900)], limit: 1, at: 10)
        let both = [one, track(3, at: 500, 500, score: 0.62)]
        #expect(ids(&prominence, both, limit: 1, at: 20) == [3])
    }

    // MARK: Lost objects

    /// A lost object is reported if it was chosen before, in addition to the limit and after the others.
    @Test func lostObjectsAreReportedIfChosen() {
        var prominence = Prominence()
        let shown = track(1, at: 500, 500, score: 0.9)
        let hidden = track(2, at: 500, 500, score: 0.2)
        _ = ids(&prominence, [shown, hidden], limit: 1)
        var (lost, alsoLost) = (shown, hidden)
        lost.state = .lost
        alsoLost.state = .lost
        let fresh = track(3, at: 500, 500, score: 0.1)
        #expect(ids(&prominence, [lost, alsoLost, fresh], limit: 1, at: 1) == [3, 1])
        #expect(ids(&prominence, [lost, fresh], limit: 1, at: 2) == [3])
    }

    /// Without tracking there are no ids, and each choice is independent.
    @Test func choiceWithoutIDsHasNoHysteresis() {
        var prominence = Prominence()
        let tracks = [track(nil, at: 500, 500, score: 0.5), track(nil, at: 500, 500, score: 0.7)]
        for _ in 0..<2 {
            let chosen = prominence.choose(
                tracks, limit: 1, reportsCoasting: true, width: 1000, height: 1000, time: 0)
            #expect(chosen.map(\.score) == [0.7])
        }
    }
}
