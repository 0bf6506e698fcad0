import SwiftODT

/// Finds places for labels: at their boxes, inside the picture, off each other, and off other boxes where it can.
struct LabelPlacement {
    /// Where a label stands at its box, in the order of preference.
    enum Slot: Int, CaseIterable {
        case aboveLeft, aboveRight, belowLeft, belowRight
        case insideTopLeft, insideTopRight, insideBottomLeft, insideBottomRight
        case right, left
    }

    /// What labels keep inside.
    let region: PixelRect
    /// The boxes of all objects shown.
    let boxes: [PixelRect]
    private var taken: [PixelRect] = []

    init(region: PixelRect, boxes: [PixelRect]) {
        self.region = region
        self.boxes = boxes
    }

    /// Chooses a place for the label of a box and keeps later ones off it. Linear in the number of boxes.
    ///
    /// - Parameter before: the slot it had in the frame before: it stays there unless another is clearly better.
    /// - Returns: `nil` if the label does not fit the picture.
    mutating func place(
        width: Int, height: Int, box index: Int, before: Slot?
    ) -> (place: PixelRect, slot: Slot)? {
        guard width <= region.width, height <= region.height else { return nil }
        var best = Candidate(place: region, slot: .aboveLeft, cost: .infinity)
        for slot in Slot.allCases {
            let wished = wish(slot, box: boxes[index], width: width, height: height)
            consider(wished, instead: wished, slot, box: index, before: before, &best)
        }
        // In a heap, the next free place above or below the labels that are in the way.
        if taken.contains(where: { !$0.intersection(best.place).isEmpty }) {
            let wished = wish(.aboveLeft, box: boxes[index], width: width, height: height)
            for label in taken where label.x < wished.maxX && wished.x < label.maxX {
                for y in [label.y - height, label.maxY] where abs(y - wished.y) < 6 * height {
                    let place = PixelRect(x: wished.x, y: y, width: width, height: height)
                    consider(place, instead: wished, .aboveLeft, box: index, before: before, &best)
                }
            }
        }
        taken.append(best.place)
        return (best.place, best.slot)
    }

    private struct Candidate {
        var place: PixelRect
        var slot: Slot
        var cost: Double
    }

    /// Takes a place, moved into the picture, if it is better than the best so far.
    private func consider(
        _ rect: PixelRect, instead wished: PixelRect, _ slot: Slot, box index: Int, before: Slot?,
        _ best: inout Candidate
    ) {
        let place = PixelRect(
            x: min(max(rect.x, region.x), region.maxX - rect.width),
            y: min(max(rect.y, region.y), region.maxY - rect.height), width: rect.width, height: rect.height)
        let moved = abs(place.x - wished.x) + 2 * abs(place.y - wished.y)
        var cost = self.cost(of: place, box: index) + 0.1 * Double(slot.rawValue)
        cost += 0.5 * Double(moved) / Double(rect.width)
        if let before, slot != before { cost += 0.15 }
        if cost < best.cost { best = Candidate(place: place, slot: slot, cost: cost) }
    }

    private func wish(_ slot: Slot, box: PixelRect, width: Int, height: Int) -> PixelRect {
        let x =
            switch slot {
            case .aboveLeft, .belowLeft, .insideTopLeft, .insideBottomLeft: box.x
            case .aboveRight, .belowRight, .insideTopRight, .insideBottomRight: box.maxX - width
            case .right: box.maxX
            case .left: box.x - width
            }
        let y =
            switch slot {
            case .aboveLeft, .aboveRight: box.y - height
            case .belowLeft, .belowRight: box.maxY
            case .insideTopLeft, .insideTopRight, .right, .left: box.y
            case .insideBottomLeft, .insideBottomRight: box.maxY - height
            }
        return PixelRect(x: x, y: y, width: width, height: height)
    }

    /// What is hidden there, in areas of the label; another label counts far more than a part of a box.
    private func cost(of place: PixelRect, box index: Int) -> Double {
        let area = Double(place.area)
        var cost = taken.reduce(0) { $0 + 6 * Double(place.intersection($1).area) / area }
        for (other, box) in boxes.enumerated() {
            let hidden = Double(place.intersection(box).area)
            guard hidden > 0 else { continue }
            // Hiding a corner of a large box is little, hiding all of a small one much.
            let part = hidden / Double(box.area)
            cost += other == index ? 0.2 * hidden / area + 2 * part : 0.4 * hidden / area + 2 * part
        }
        return cost
    }
}
