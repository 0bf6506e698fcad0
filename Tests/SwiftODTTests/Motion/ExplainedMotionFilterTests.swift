import Testing

@testable import SwiftODT

/// Tests which motion remains after tracked objects explain a part of it.
@Suite struct ExplainedMotionFilterTests {
    private static let (width, height) = (64, 48)

    /// Returns the unexplained regions for motion in one box and a tracked object in another box.
    private static func rest(of moving: Box, besides known: Box) -> [Box] {
        let ground = [UInt8](repeating: 90, count: width * height)
        let frame = DrawnGrid.pixels(width: width, height: height) { x, y in
            (Int(moving.minX)..<Int(moving.maxX)).contains(x) && (Int(moving.minY)..<Int(moving.maxY)).contains(y)
                ? 20 : 90
        }
        let background = DrawnGrid.background(ground, width: width)
        background.compare(frame, light: LightChange())
        let objects = PixelGrid<UInt8>(width: width, height: height, filled: 1)
        let explained = ExplainedMotionFilter(width: width, height: height)
        explained.clear(background.marks, of: objects, in: [known])
        return explained.labeler.regions.map(\.box)
    }

    private static let known = Box(x: 10, y: 4, width: 20, height: 40)

    /// Detection boxes are inexact: motion that exceeds a box by less than a tenth of it belongs to the object.
    @Test func motionSlightlyOutsideKnownObjectIsExplained() {
        #expect(Self.rest(of: Box(x: 12, y: 30, width: 12, height: 17), besides: Self.known).isEmpty)
    }

    @Test func motionBesideKnownObjectIsKept() {
        let left = Self.rest(of: Box(x: 40, y: 10, width: 12, height: 20), besides: Self.known)
        #expect(left.count == 1)
        #expect(left.first.map { $0.iou(Box(x: 40, y: 10, width: 12, height: 20)) > 0.7 } == true)
    }

    /// If a tracked and an unknown object move as one region, only the unknown object's part remains.
    @Test func motionInsideKnownObjectIsCleared() {
        let left = Self.rest(of: Box(x: 12, y: 10, width: 40, height: 20), besides: Self.known)
        #expect(left.count == 1)
        #expect(left.allSatisfy { $0.minX >= 31 })
    }
}
