import Testing

@testable import SwiftODT

/// Tests the salient object that is reported in single images without labelled objects.
@Suite struct ProminentObjectTests {
    private func object(_ score: Double, x: Double = 10, width: Double = 40) -> Detection {
        Detection(box: Box(x: x, y: 10, width: width, height: 40), score: score)
    }

    private func scene(
        _ unknown: SceneOptions.UnknownObjects = .salient, _ change: (inout SceneOptions) -> Void = { _ in }
    ) -> Scene {
        var options = SceneOptions()
        (options.mode, options.unknownObjects, options.multipleObjects) = (.singleImage, unknown, true)
        change(&options)
        let scene = Scene(options: options)
        scene.advance(to: 0, width: 100, height: 100, luma: nil)
        return scene
    }

    @Test(arguments: [SceneOptions.UnknownObjects.salient, .auto])
    func salientObjectIsReportedWithoutLabelledOnes(_ unknown: SceneOptions.UnknownObjects) throws {
        let scene = scene(unknown)
        #expect(!scene.wantsProminent, "the detector has not run yet")
        scene.observe([object(0.3)], seenAt: 0)
        #expect(scene.wantsProminent, "the only detection is below the threshold")
        scene.observeProminent([object(0.8), object(0.7, x: 55)], threshold: 0.4)
        let objects = try scene.objects(in: nil)
        #expect(objects.count == 1)
        #expect(objects.first?.track.box == object(0.8).box && objects.first?.track.score == 0.8)
        #expect(objects.first?.track.label == nil && objects.first?.track.id == nil)
        #expect(objects.first?.category == .unknown && objects.first?.isProminent == true)
        scene.advance(to: 40_000_000, width: 100, height: 100, luma: nil)
        #expect(!scene.wantsProminent, "the detector has not run for this picture")
    }

    @Test func labelledObjectsTakePrecedence() throws {
        let scene = scene()
        let cup = Detection(
            box: Box(x: 0, y: 0, width: 9, height: 9), score: 0.5, label: Label(index: 0, text: "cup"))
        scene.observe([cup], seenAt: 0)
        #expect(!scene.wantsProminent)
        scene.observeProminent([object(0.9)], threshold: 0.4)
        #expect(try scene.objects(in: nil).map(\.track.label?.text) == ["cup"])
    }

    /// A result for an earlier picture, for example after a change of mode, does not apply to this one.
    @Test func staleResultIsIgnored() {
        let scene = scene()
        scene.advance(to: 40_000_000, width: 100, height: 100, luma: nil)
        scene.observe([], seenAt: 0)
        #expect(!scene.wantsProminent)
    }

    /// The user has excluded the object. It is not reported without its label instead.
    @Test func excludedObjectIsNotReportedAsSalient() throws {
        let scene = scene { $0.filter.denylist = ["person"] }
        var person = object(0.9)
        person.label = Label(index: 0, text: "person")
        scene.observe([person], seenAt: 0)
        scene.observeProminent([object(0.8), object(0.6, x: 55)], threshold: 0.4)
        #expect(try scene.objects(in: nil).map(\.track.score) == [0.6])
    }

    @Test func filterAppliesToSalientObject() throws {
        let scene = scene { $0.filter.maxArea = 0.3 }
        scene.observe([], seenAt: 0)
        scene.observeProminent([object(0.9, width: 90), object(0.6)], threshold: 0.4)
        #expect(try scene.objects(in: nil).map(\.track.score) == [0.6])
        #expect(scene.takeRejections()[.tooLarge] == 1)
    }

    @Test func salientObjectBelowThresholdIsDropped() throws {
        let scene = scene()
        scene.observe([], seenAt: 0)
        scene.observeProminent([object(0.35)], threshold: 0.4)
        #expect(try scene.objects(in: nil).isEmpty)
        #expect(scene.takeRejections().best?.reason == .belowThreshold)
    }

    @Test func allowlistMustContainUnknown() {
        for (allowlist, isWanted) in [(Set(["cup"]), false), (["cup", DetectionFilter.unknown], true)] {
            let scene = scene { $0.filter.allowlist = allowlist }
            scene.observe([], seenAt: 0)
            #expect(scene.wantsProminent == isWanted)
        }
    }

    @Test func unknownObjectsDependOnMode() {
        func seeks(_ mode: SceneOptions.Mode, _ unknown: SceneOptions.UnknownObjects) -> [Bool] {
            var options = SceneOptions()
            (options.mode, options.unknownObjects) = (mode, unknown)
            return [options.detectsMoving, options.detectsSalient]
        }
        #expect(seeks(.stream, .auto) == [true, false] && seeks(.singleImage, .auto) == [false, true])
        #expect(seeks(.stream, .salient) == [false, false] && seeks(.singleImage, .moving) == [false, false])
        #expect(seeks(.singleImage, .none) == [false, false])
    }
}
