import SwiftODT
import Testing

@testable import GstSwiftODT

/// Protects the places of labels: inside the picture, off each other, and steady.
@Suite struct PlacementTests {
    private let region = PixelRect(x: 0, y: 0, width: 320, height: 240)

    private func places(_ boxes: [PixelRect], width: Int = 80, height: Int = 16) -> [PixelRect] {
        var placement = LabelPlacement(region: region, boxes: boxes)
        return boxes.indices.compactMap { placement.place(width: width, height: height, box: $0, before: nil)?.place }
    }

    @Test func theUsualPlaceIsAboveTheLeftCorner() {
        #expect(
            places([PixelRect(x: 50, y: 60, width: 100, height: 100)])
                == [PixelRect(x: 50, y: 44, width: 80, height: 16)])
    }

    @Test func labelsStayInsideAtAllEdges() {
        for x in stride(from: 0, through: 300, by: 20) {
            for y in stride(from: 0, through: 220, by: 20) {
                for place in places([PixelRect(x: x, y: y, width: 20, height: 20)]) {
                    #expect(place.intersection(region) == place)
                }
            }
        }
        #expect(places([region]) == [PixelRect(x: 0, y: 0, width: 80, height: 16)])
    }

    @Test func labelsKeepOffEachOther() {
        let heap = (0..<6).map { PixelRect(x: 100 + 4 * $0, y: 100 + 2 * $0, width: 60, height: 40) }
        let found = places(heap)
        #expect(found.count == heap.count)
        for (index, one) in found.enumerated() {
            for other in found[(index + 1)...] { #expect(one.intersection(other).isEmpty) }
        }
    }

    @Test func aLabelStaysWhereItWasUntilThereIsReason() {
        let box = PixelRect(x: 50, y: 60, width: 100, height: 100)
        var placement = LabelPlacement(region: region, boxes: [box])
        let kept = placement.place(width: 80, height: 16, box: 0, before: .aboveRight)
        #expect(kept?.slot == .aboveRight)
        var later = LabelPlacement(region: region, boxes: [box])
        let back = later.place(width: 80, height: 16, box: 0, before: .left)
        #expect(back?.slot == .aboveLeft)
    }

    @Test func whatDoesNotFitIsLeftOut() {
        #expect(places([PixelRect(x: 0, y: 0, width: 20, height: 20)], width: 400).isEmpty)
    }
}
