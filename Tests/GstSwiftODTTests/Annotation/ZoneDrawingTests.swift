import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that the counts of zones are always readable.
@Suite struct ZoneDrawingTests {
    @Test func zoneCountsAreDrawnOnTop() {
        let zone = Zone("yard", .area, [.init(0.1, 0.2), .init(0.9, 0.2), .init(0.9, 0.9), .init(0.1, 0.9)])
        let zones = [AnnotatedZone(zone, count: nil)]
        var options = AnnotatorOptions()
        options.boxStyle = .filled
        func picture(_ objects: [AnnotatedObject], labels: Bool = true) -> [UInt32] {
            options.drawLabels = labels
            let picture = Painting(width: 320, height: 240)
            picture.withFrame { Annotator().draw(objects, zones: zones, options: options, into: $0) }
            return picture.pixels
        }
        let counted = picture([])
        // The text is black on amber. Nothing else is completely black.
        let letters = counted.indices.filter { counted[$0] == 0 }
        #expect(letters.count >= 5)
        #expect(picture([], labels: false) == counted)
        // Boxes and labels that cover the picture.
        let crowd = (0..<48).map {
            AnnotatedObject(
                id: $0, box: Box(x: Double($0 % 8) * 40, y: Double($0 / 8) * 40, width: 39, height: 39), label: "dog")
        }
        let covered = picture(crowd)
        #expect(letters.allSatisfy { covered[$0] == 0 })
    }

    private static func placement(_ zones: [Zone]) -> ZoneTextPlacement {
        let picture = Painting(width: 640, height: 360)
        return ZoneTextPlacement(zones, canvas: picture.withFrame { Canvas($0, interlaced: false) }, lineWidth: 2)
    }

    @Test(arguments: [4, 12]) func zoneTextsDoNotOverlap(_ count: Int) {
        let lines = (0..<count).map { number in
            let start = 0.2 + 0.6 * Double(number) / Double(count)
            return Zone("lane \(number)", .line, [.init(start, 0.5), .init(start + 0.4 / Double(count), 0.5)])
        }
        var placement = Self.placement(lines)
        let places = placement.places(of: lines.map { _ in (120, 20) })
        for (index, place) in places.enumerated() {
            #expect(place.intersection(PixelRect(x: 0, y: 0, width: 640, height: 360)) == place)
            #expect(places[..<index].allSatisfy { $0.intersection(place).isEmpty })
        }
        // Two more digits do not move the texts.
        #expect(placement.places(of: lines.map { _ in (136, 20) }).map(\.x) == places.map(\.x))
    }

    @Test func zoneTextIsBesideLineAtEdge() {
        var bottom = Self.placement([Zone("gate", .line, [.init(0.1, 0.985), .init(0.9, 0.985)])])
        #expect(bottom.places(of: [(80, 20)])[0].maxY < 354)
        var right = Self.placement([Zone("gate", .line, [.init(0.99, 0.1), .init(0.99, 0.9)])])
        #expect(right.places(of: [(80, 20)])[0].maxX < 633)
        var area = Self.placement([Zone("yard", .area, [.init(0.9, 0.1), .init(0.99, 0.5), .init(0.8, 0.5)])])
        #expect(area.places(of: [(80, 20)]) == [PixelRect(x: 540, y: 40, width: 80, height: 20)])
    }

    /// The line is at the right edge, and its arrow points to the right.
    @Test func arrowIsInsidePicture() {
        let zones = [AnnotatedZone(Zone("gate", .line, [.init(0.99, 0.9), .init(0.99, 0.1)]), count: nil)]
        let picture = Painting(width: 320, height: 240)
        let background = picture[0, 0]
        picture.withFrame { Annotator().draw([], zones: zones, options: AnnotatorOptions(), into: $0) }
        #expect((308..<318).allSatisfy { picture[$0, 168] != background })
    }

    @Test func longZoneNameDoesNotHideCount() {
        let line = Zone("Loading dock B, north side gate", .line, [.init(0.1, 0.5), .init(0.9, 0.5)])
        func picture(_ crossings: Int) -> [UInt32] {
            let count = ZoneCount(name: line.name, kind: .line, all: .init(in: crossings))
            let picture = Painting(width: 320, height: 240)
            picture.withFrame {
                Annotator().draw([], zones: [AnnotatedZone(line, count: count)], options: AnnotatorOptions(), into: $0)
            }
            return picture.pixels
        }
        #expect(picture(1) != picture(8))
    }

    @Test func zoneNameIsIsolatedFromCount() {
        func text(_ name: String) -> String {
            let zone = Zone(name, .area, [.init(0, 0), .init(1, 0), .init(1, 1)])
            let count = ZoneCount(name: name, kind: .area, all: .init(count: 3))
            return AnnotatedZone(zone, count: count).text
        }
        #expect(text("yard 2") == "yard 2  3")
        #expect(text("חניה 2") == "\u{2068}חניה 2\u{2069}  3")
    }
}
