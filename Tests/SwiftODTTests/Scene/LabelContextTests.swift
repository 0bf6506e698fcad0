import Testing

@testable import SwiftODT

/// Tests that implausible labels are withheld, and plausible ones are not.
@Suite struct LabelContextTests {
    private func tracks(_ labels: [String]) -> [Track] {
        labels.enumerated().map { index, label in
            var track = Track(
                box: Box(x: 0, y: 0, width: 10, height: 10), score: 0.6, label: Label(index: index, text: label),
                state: .tracked, firstSeen: 0, lastSeen: 0, timeSinceUpdate: 0)
            track.id = index + 1
            return track
        }
    }

    private func shown(_ labels: [String], in context: inout LabelContext, at time: Nanoseconds = 0) -> [String] {
        var tracks = tracks(labels)
        context.withholdImplausibleLabels(of: &tracks, at: time)
        return tracks.map { $0.label?.text ?? "" }
    }

    @Test func labelsOfHomesAreWithheldBesideVehicles() {
        var context = LabelContext()
        #expect(shown(["Refrigerator", "car", "bus", "person"], in: &context) == ["", "car", "bus", "person"])
        context.reset()
        #expect(shown(["car", "chair", "couch", "tv"], in: &context) == ["", "chair", "couch", "tv"])
    }

    @Test func labelsWithoutContraryNeighboursStay() {
        for labels in [
            ["keyboard"], ["keyboard", "person", "dog"], ["keyboard", "car"], ["car", "chair", "car", "cell phone"],
        ] {
            var context = LabelContext()
            #expect(shown(labels, in: &context) == labels)
        }
    }

    /// The camera turns from a home to a street.
    @Test func labelsStayIfOnlyTheirKindIsVisible() {
        var context = LabelContext()
        #expect(shown(["couch", "tv", "oven"], in: &context) == ["couch", "tv", "oven"])
        // A single object may be an error.
        #expect(shown(["person", "person", "person", "car"], in: &context, at: 1_000_000_000).last == "")
        let labels = ["person", "person", "person", "car", "bus"]
        #expect(shown(labels, in: &context, at: 2_000_000_000) == labels)
    }

    @Test func tracksCountForTenSeconds() {
        var context = LabelContext()
        #expect(shown(["person", "bus", "car"], in: &context) == ["person", "bus", "car"])
        #expect(shown(["clock"], in: &context, at: 9_000_000_000) == [""])
        #expect(shown(["clock"], in: &context, at: 30_000_000_000) == ["clock"])
    }

    /// The cars and the refrigerator belong to different scenes.
    @Test func labelsBeforeCutDoNotCount() throws {
        let scene = Scene()
        let pictures = [SyntheticScene(seed: 1), SyntheticScene(seed: 408)]
        var labels: [String?] = []
        for frame in 0..<20 {
            let seconds = Double(frame) / 25, time = Nanoseconds(seconds * 1e9)
            scene.advance(to: time, width: 1280, height: 720, luma: pictures[frame < 10 ? 0 : 1].plane(at: seconds))
            let names = frame < 10 ? ["car", "bus"] : ["refrigerator"]
            let detections = names.enumerated().map { place, name in
                Detection(
                    box: Box(x: 300 + 400 * Double(place), y: 200, width: 100, height: 200), score: 0.9,
                    label: Label(index: frame < 10 ? place : 2, text: name))
            }
            scene.observe(detections, seenAt: time)
            labels = try scene.objects(in: nil).map(\.track.label?.text)
        }
        #expect(labels == ["refrigerator"])
    }
}
