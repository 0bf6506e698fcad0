import Testing

@testable import SwiftODT

/// Protects the mapping between the buffer and the upright picture, on which every reported box rests.
@Suite struct OrientationTests {
    @Test(arguments: Orientation.allCases)
    func mappingThereAndBackIsIdentity(_ orientation: Orientation) {
        let box = Box(x: 10, y: 20, width: 30, height: 5)
        let upright = orientation.upright(box, bufferWidth: 200, bufferHeight: 100)
        #expect(orientation.buffer(upright, bufferWidth: 200, bufferHeight: 100) == box)
    }

    @Test func aQuarterTurnBringsTheLowerLeftCornerToTheUpperLeft() {
        let corner = Box(x: 0, y: 90, width: 10, height: 10)
        let upright = Orientation.rotate90.upright(corner, bufferWidth: 200, bufferHeight: 100)
        #expect(upright == Box(x: 0, y: 0, width: 10, height: 10))
    }
}
