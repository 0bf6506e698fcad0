import Testing

@testable import SwiftODT

/// Tests the association of moving regions over time: age, velocity and crossing objects.
@Suite struct MotionHistoryTests {
    private static let step = 0.1

    private func sighting(_ x: Double, _ y: Double = 50, width: Double = 20, height: Double = 20)
        -> MotionHistory.RegionObservation
    {
        MotionHistory.RegionObservation(box: Box(x: x, y: y, width: width, height: height), contrast: 0.8)
    }

    @Test func continuingRegionAgesAndGainsVelocity() throws {
        var history = MotionHistory()
        for number in 0..<11 { history.advance([sighting(Double(number) * 3)], elapsed: Self.step) }
        let object = try #require(history.objects.first)
        #expect(history.objects.count == 1)
        #expect(abs(object.age - 1) < 1e-9)
        #expect(abs(object.velocityX - 30) < 3)
        #expect(object.velocityY == 0)
    }

    @Test func distantRegionIsNew() {
        var history = MotionHistory()
        for _ in 0..<5 { history.advance([sighting(0)], elapsed: Self.step) }
        history.advance([sighting(11)], elapsed: Self.step)
        #expect(history.objects.map(\.age) == [0])
        history.advance([sighting(11 + 9)], elapsed: Self.step)
        #expect(history.objects.map(\.age) == [Self.step])
    }

    @Test func missingRegionIsForgotten() {
        var history = MotionHistory()
        history.advance([sighting(0)], elapsed: Self.step)
        history.advance([], elapsed: Self.step)
        #expect(history.objects.isEmpty)
        history.advance([sighting(0)], elapsed: Self.step)
        history.forget()
        #expect(history.objects.isEmpty)
    }

    @Test func passingObjectsStaySeparate() {
        var history = MotionHistory()
        for number in 0..<8 {
            history.advance([sighting(Double(number) * 4), sighting(90 - Double(number) * 4)], elapsed: Self.step)
        }
        // The objects overlap and form one region for a while.
        for number in 8..<14 {
            let (left, right) = (Double(number) * 4, 90 - Double(number) * 4)
            let (from, to) = (min(left, right), max(left, right) + 20)
            history.advance([sighting(from, width: to - from)], elapsed: Self.step)
            #expect(history.objects.count == 2)
        }
        #expect(history.objects.allSatisfy { $0.age > 1 && $0.mergedFor > 0.4 && $0.box.width == 20 })
    }

    @Test func objectsMovingTogetherMerge() {
        var history = MotionHistory()
        for number in 0..<8 {
            history.advance([sighting(Double(number) * 2), sighting(Double(number) * 2 + 21)], elapsed: Self.step)
        }
        history.advance([sighting(16, width: 41)], elapsed: Self.step)
        #expect(history.objects.count == 1)
    }

    /// Draws textured objects on an empty plane, labels the regions and passes them to a history.
    private final class Stage {
        private static let (width, height) = (160, 100)
        private let marks = PixelGrid<UInt8>(width: Stage.width, height: Stage.height, filled: 0)
        private let labeler = RegionLabeler(width: Stage.width, height: Stage.height)
        private var pixels = [UInt8](repeating: 0, count: Stage.width * Stage.height)
        private(set) var history = MotionHistory()

        /// Advances the history by a frame with the given boxes; later boxes cover earlier ones. Each object has its
        /// own texture.
        func show(_ boxes: Box?...) {
            marks.fill(0)
            for (number, box) in boxes.enumerated() {
                guard let box else { continue }
                for y in Int(box.minY)..<Int(box.maxY) {
                    for x in max(0, Int(box.minX))..<min(Stage.width, Int(box.maxX)) {
                        let (across, down) = (x - Int(box.minX), y - Int(box.minY))
                        marks.base[y * Stage.width + x] = 3
                        pixels[y * Stage.width + x] = UInt8(
                            40 + 60 * number + (across / 3 * (7 + 4 * number) + down / 3 * 13) % 60)
                    }
                }
            }
            labeler.label(marks, gap: 1)
            let sightings = labeler.regions.enumerated().map {
                MotionHistory.RegionObservation(box: $1.box, contrast: 0.8, region: $0)
            }
            pixels.withUnsafeBufferPointer { pixels in
                guard let first = pixels.baseAddress else { return }
                let frame = LabeledFrame(pixels: first, marks: marks, labeler: labeler, light: LightChange())
                history.advance(sightings, elapsed: MotionHistoryTests.step, in: frame)
            }
        }

        /// Returns the lowest IoU of the given boxes, each with its best matching object.
        func fit(_ boxes: [Box]) -> Double {
            boxes.map { box in history.objects.map { $0.box.iou(box) }.max() ?? 0 }.min() ?? 0
        }
    }

    /// Touching objects with the same direction can be parts of one object, but not after they were apart for a second.
    @Test func meetingObjectsStaySeparate() {
        let stage = Stage()
        for number in 0..<60 {
            // The left one catches up, and then keeps pace.
            let left = min(Double(number) * 2, 14 + Double(number))
            let boxes = [
                Box(x: left, y: 30, width: 26, height: 30), Box(x: 40 + Double(number), y: 34, width: 30, height: 34),
            ]
            stage.show(boxes[0], boxes[1])
            if number > 0 { #expect(stage.history.objects.count == 2 && stage.fit(boxes) > 0.8, "at \(number)") }
        }
    }

    /// A newcomer that forms one region with a known object from its first frame must not enlarge the known object.
    @Test func newcomerMergedFromItsFirstFrameIsANewObject() {
        let stage = Stage()
        for number in 0..<24 {
            let known = Box(x: 100 - Double(number), y: 40, width: 30, height: 30)
            // The newcomer appears at once from behind the lower side of the known object.
            let other = Box(x: 94 - Double(number) * 2, y: 66, width: 24, height: 22)
            stage.show(number < 8 ? nil : other, known)
            if number >= 8 { #expect(stage.fit([known]) > 0.85, "at \(number)") }
            if number >= 9 { #expect(stage.history.objects.count == 2, "at \(number)") }
        }
    }
}
