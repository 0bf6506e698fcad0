import Testing

@testable import SwiftODT

/// Tests the mapping between the buffer and the upright picture, which determines every reported box.
@Suite struct OrientationTests {
    @Test(arguments: Orientation.allCases)
    func mappingRoundTripIsIdentity(_ orientation: Orientation) {
        let box = Box(x: 10, y: 20, width: 30, height: 5)
        let upright = orientation.upright(box, bufferWidth: 200, bufferHeight: 100)
        #expect(orientation.buffer(upright, bufferWidth: 200, bufferHeight: 100) == box)
    }

    @Test func rotate90MapsLowerLeftToUpperLeft() {
        let corner = Box(x: 0, y: 90, width: 10, height: 10)
        let upright = Orientation.rotate90.upright(corner, bufferWidth: 200, bufferHeight: 100)
        #expect(upright == Box(x: 0, y: 0, width: 10, height: 10))
    }

    /// Composing two orientations maps a box like applying them in sequence.
    @Test(arguments: Orientation.allCases, Orientation.allCases)
    func orientationsCompose(_ second: Orientation, _ first: Orientation) {
        let (width, height) = (40.0, 30.0)
        let box = Box(x: 3, y: 5, width: 11, height: 7)
        let between = first.upright(box, bufferWidth: width, bufferHeight: height)
        let size = first.swapsAxes ? (height, width) : (width, height)
        let after = second.upright(between, bufferWidth: size.0, bufferHeight: size.1)
        let both = second.following(first)
        #expect(both.upright(box, bufferWidth: width, bufferHeight: height) == after)
        #expect(both.swapsAxes == (first.swapsAxes != second.swapsAxes))
        #expect(both.following(both.inverse) == .identity)
    }
}
