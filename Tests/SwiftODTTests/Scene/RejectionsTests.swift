import Testing

@testable import SwiftODT

/// Tests the counts and the explanation of rejected detections.
struct RejectionsTests {
    private func detection(_ label: String, _ score: Double, at x: Double = 10) -> Detection {
        Detection(box: Box(x: x, y: 10, width: 20, height: 20), score: score, label: Label(index: 0, text: label))
    }

    private func scene(_ change: (inout SceneOptions) -> Void) -> Scene {
        var options = SceneOptions()
        change(&options)
        let scene = Scene(options: options)
        scene.advance(to: 0, width: 100, height: 100, luma: nil)
        return scene
    }

    @Test func singleImageCountsEveryReason() {
        let scene = scene {
            $0.mode = .singleImage
            $0.filter.denylist = ["dog"]
            $0.filter.minArea = 0.01
            $0.filter.maxArea = 0.5
        }
        var speck = detection("cup", 0.9)
        speck.box = Box(x: 0, y: 0, width: 5, height: 5)
        var wall = detection("bed", 0.7)
        wall.box = Box(x: 0, y: 0, width: 100, height: 100)
        scene.observe(
            [detection("person", 0.31), detection("cat", 0.2), detection("dog", 0.95), speck, wall], seenAt: 0)
        let rejections = scene.takeRejections()
        #expect(Rejections.Reason.allCases.map { rejections[$0] } == [2, 1, 1, 1, 0, 0])
        #expect(rejections.best?.label?.text == "dog")
        #expect(rejections.best?.reason == .notAllowed)
        #expect(scene.takeRejections().isEmpty, "each rejection is returned once")
    }

    /// A weak detection that continues a track is not rejected.
    @Test func weakDetectionsOfTracksAreNotCounted() {
        let scene = scene { $0.multipleObjects = true }
        scene.observe([detection("person", 0.8)], seenAt: 0)
        #expect(scene.takeRejections().isEmpty)
        scene.advance(to: 40_000_000, width: 100, height: 100, luma: nil)
        scene.observe([detection("person", 0.3), detection("cat", 0.2, at: 70)], seenAt: 40_000_000)
        let rejections = scene.takeRejections()
        #expect(rejections[.belowThreshold] == 1)
        #expect(rejections.best?.label?.text == "cat")
    }

    /// One detection in a familiar scene does not confirm a track.
    @Test func unconfirmedTracksAreCounted() {
        let scene = scene { $0.multipleObjects = true }
        scene.observe([detection("person", 0.8)], seenAt: 0)
        for (frame, extra) in [[detection("cat", 0.9, at: 70)], [], []].enumerated() {
            let time = Nanoseconds(frame + 1) * 40_000_000
            scene.advance(to: time, width: 100, height: 100, luma: nil)
            scene.observe([detection("person", 0.8)] + extra, seenAt: time)
        }
        let rejections = scene.takeRejections()
        #expect(rejections[.unconfirmed] == 1)
        #expect(rejections.best.map { [$0.label?.text, $0.reason.rawValue] } == ["cat", "unconfirmed"])
    }

    @Test func explanationNamesBestAndReason() {
        #expect(
            Rejections().explanation(threshold: 0.4)
                == "no object has a score of at least 0.4, and no weaker detections")
        var rejections = Rejections([detection("person", 0.318), detection("cat", 0.2)], below: 0.4)
        #expect(
            rejections.explanation(threshold: 0.4)
                == "no object has a score of at least 0.4; the best was person, 0.32")
        let near = Rejections([detection("car", Double(Float(0.9)))], below: 0.95)
        #expect(near.explanation(threshold: 0.95).hasSuffix("the best was car, 0.9"))
        #expect(near.explanation(threshold: 0.9).hasSuffix("the best was car, 0.89"))
        rejections.add(.tooSmall, label: nil, score: 0.399)
        #expect(
            rejections.explanation(threshold: 0.4)
                == "no object is large enough; the best was an unlabelled object, 0.39, smaller than min-area")
    }

    /// Only detections from the threshold up are reported, although the detector also returns weaker ones.
    @Test func detectionsBelowThresholdAreNotReported() throws {
        let scene = scene { $0.mode = .singleImage }
        #expect(scene.options.scoreFloor < scene.options.tracker.scoreThreshold)
        scene.observe([detection("person", 0.39), detection("cat", 0.4)], seenAt: 0)
        #expect(try scene.objects(in: nil).map(\.track.label?.text) == ["cat"])
    }
}
