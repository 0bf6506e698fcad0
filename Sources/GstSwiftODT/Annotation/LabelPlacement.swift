/// Places the labels of one frame. Each label touches its box and is inside the picture. It overlaps no other label and
/// covers only a small fraction of the boxes of other objects. If there is no room for the full label, the short labels
/// are tried in order. If there is no room for any, the object has no label.
///
/// A label stays at one side of its box from frame to frame. If other labels need the same place, the label slides
/// along this side, and returns slowly when the place is free again. If there is no room at this side, not even for the
/// last short label, the label moves to another side. If there is no room at any side, it is hidden.
struct LabelPlacement {
    /// The size of a label in whole pixels.
    typealias Size = (width: Int, height: Int)

    /// The speed at which a visible label returns to its preferred position, in label heights per second. It moves by
    /// at least one step of the grid per frame.
    private static let returnSpeed = 3.0
    /// The full label replaces a short label after there has been room for the full label for this time, in seconds.
    private static let growDelay = 0.5

    /// A label to place. `maximum` is the largest fraction of another object's box that a visible label may cover.
    /// `maximumOnArrival` is the corresponding limit for a new label.
    private struct Request {
        let size: Size
        let maximumOnArrival: Double
        let maximum: Double

        /// The limits for the first attempt. A visible label may cover the upper twentieth of a standing person's box,
        /// because this part of the box is above the head.
        static func whole(_ size: Size) -> Request { Request(size: size, maximumOnArrival: 0.03, maximum: 0.06) }
        /// The limits for short labels. If the object has no short label, they apply to a second attempt with the full
        /// label. These limits are higher than those of the first attempt, because even the smallest label covers a
        /// large fraction of a small box.
        static func last(_ size: Size) -> Request { Request(size: size, maximumOnArrival: 0.15, maximum: 0.25) }
    }

    private let region: PixelRect
    private let boxes: [PixelRect]
    /// The grid of label positions: distances from the corner of the region are multiples of this step.
    private let step: (x: Int, y: Int)
    /// The seconds since the previous frame.
    private let elapsed: Double
    /// The places that are not free: the reserved ones, and the labels that have been placed in this frame.
    private var taken: [PixelRect]

    /// - Parameter reserved: places that no label may cover.
    init(
        region: PixelRect, boxes: [PixelRect], reserved: [PixelRect] = [], step: (x: Int, y: Int) = (2, 2),
        elapsed: Double = 0
    ) {
        (self.region, self.boxes, self.step, self.elapsed) = (region, boxes, step, elapsed)
        taken = reserved
    }

    /// Chooses the place of a box's label and reserves it. The cost is linear in the number of boxes, unless many
    /// labels are placed at one edge.
    ///
    /// - Parameters:
    ///   - size: The size of the full label.
    ///   - short: Returns the sizes of the short labels, the preferred one first. It is called only if there is no room
    ///     for the full label.
    ///   - position: The position of the label in the previous frame; `nil` for a new label. It is updated to the
    ///     position in this frame. It also states whether the full label or a short label has been placed. It remains
    ///     `nil` if there is no room for a new label.
    /// - Returns: The place of the label; `nil` if there is no room.
    mutating func place(
        _ size: Size, short: () -> [Size] = { [] }, box index: Int, _ position: inout LabelPosition?
    ) -> PixelRect? {
        guard let (spot, size) = choose(size, short, box: index, &position) else { return nil }
        let place = spot.edge.place(of: size, at: aligned(spot.along, on: spot.edge))
        taken.append(place)
        return place
    }

    /// Chooses the first label for which there is room. If the label was a short label in the previous frame, a longer
    /// label replaces it only after there has been room for the full label for ``growDelay``.
    private func choose(
        _ size: Size, _ short: () -> [Size], box index: Int, _ position: inout LabelPosition?
    ) -> (spot: Spot, size: Size)? {
        let before = position?.shortLabel
        if before == nil {
            var whole = position
            if let spot = spot(for: .whole(size), box: index, &whole, changesSide: false) {
                position = whole
                return (spot, size)
            }
        } else if let spot = growingSpot(for: .whole(size), box: index, &position) {
            return (spot, size)
        }
        let sizes = short()
        guard !sizes.isEmpty else {
            position?.shortLabel = nil
            return spot(for: .last(size), box: index, &position, changesSide: true).map { ($0, size) }
        }
        let roomToGrow = before == nil ? 0 : position?.roomToGrow ?? 0
        for number in min(before ?? 0, sizes.count - 1)..<sizes.count {
            var placed = position
            let isLast = number == sizes.count - 1
            let spot = spot(for: .last(sizes[number]), box: index, &placed, changesSide: isLast)
            guard spot != nil || isLast else { continue }
            placed?.shortLabel = number
            placed?.roomToGrow = roomToGrow
            position = placed
            return spot.map { ($0, sizes[number]) }
        }
        return nil
    }

    /// Returns the position at which the full label replaces a short label. Returns `nil` until there has been room
    /// for the full label for ``growDelay``.
    private func growingSpot(for request: Request, box index: Int, _ position: inout LabelPosition?) -> Spot? {
        guard let previous = position else { return nil }
        // The current side is preferred.
        let spot =
            previous.hiddenFor == nil
            ? nextSpot(for: request, box: index, previous, maximum: request.maximumOnArrival)
                ?? bestSpot(for: request, box: index) : nil
        guard let spot, previous.roomToGrow + elapsed >= Self.growDelay else {
            position?.roomToGrow = spot == nil ? 0 : previous.roomToGrow + elapsed
            return nil
        }
        position = LabelPosition(at: spot)
        return spot
    }

    /// - Parameter changesSide: Whether a visible label may move to another side if there is no room at its side.
    private func spot(
        for request: Request, box index: Int, _ position: inout LabelPosition?, changesSide: Bool
    ) -> Spot? {
        if let previous = position {
            let maximum = previous.hiddenFor == nil ? request.maximum : request.maximumOnArrival
            if let spot = nextSpot(for: request, box: index, previous, maximum: maximum) {
                position?.shift = spot.along - spot.edge.home
                position?.hiddenFor = nil
                return spot
            }
            position?.hiddenFor = (previous.hiddenFor ?? 0) + elapsed
            guard changesSide || previous.hiddenFor != nil else { return nil }
        }
        guard let spot = bestSpot(for: request, box: index) else { return nil }
        position = LabelPosition(at: spot)
        return spot
    }

    // MARK: The current side

    /// Returns the next position of a label at its current side. The target is the position closest to the preferred
    /// one that the other labels permit. If the label would cover too much there, it keeps its position, so that it
    /// does not alternate between both. A visible label approaches the target in small steps, because labels that
    /// barely touch would otherwise jump. Returns `nil` if there is no room.
    ///
    /// - Parameter maximum: The maximum fraction of another object's box that the label may cover at the position it
    ///   has. Elsewhere the limit for new labels applies.
    private func nextSpot(
        for request: Request, box index: Int, _ position: LabelPosition, maximum: Double
    ) -> Spot? {
        let size = request.size
        guard let edge = Edge(position.side, of: boxes[index], size, in: region) else { return nil }
        let before = aligned(edge.clamped(edge.home + position.shift), on: edge)
        guard let free = nearestFree(to: before, on: edge, size) else { return nil }
        func fits(_ along: Int, _ maximum: Double) -> Bool {
            !covers(edge.place(of: size, at: aligned(along, on: edge)), moreThan: maximum, but: index)
        }
        let target = targetTowardsHome(from: free, on: edge, size)
        var candidates = [(along: free, maximum: maximum)]
        if target != free, fits(target, request.maximumOnArrival) {
            // Alignment would undo a movement by less than one step of the grid.
            let distance = max(edge.isLevel ? step.x : step.y, Int(Self.returnSpeed * Double(size.height) * elapsed))
            let next = position.hiddenFor == nil ? min(max(target, free - distance), free + distance) : target
            candidates.insert((next, request.maximumOnArrival), at: 0)
            candidates.append((target, request.maximumOnArrival))
        }
        return candidates.first { fits($0.along, $0.maximum) }.map { Spot(edge: edge, along: $0.along) }
    }

    /// Returns the free position on an edge that is nearest to the position `wanted`; `nil` if the edge has no free
    /// position.
    private func nearestFree(to wanted: Int, on edge: Edge, _ size: Size) -> Int? {
        var (down, up) = (wanted, wanted)
        while down >= edge.low, let other = obstacle(at: down, on: edge, size) {
            down = edge.start(other) - edge.length(size)
        }
        while up <= edge.high, let other = obstacle(at: up, on: edge, size) { up = edge.end(other) }
        let (canGoDown, canGoUp) = (down >= edge.low, up <= edge.high)
        guard canGoDown || canGoUp else { return nil }
        return canGoDown && (!canGoUp || wanted - down <= up - wanted) ? down : up
    }

    private func obstacle(at along: Int, on edge: Edge, _ size: Size) -> PixelRect? {
        let place = edge.place(of: size, at: along)
        return taken.first { !$0.intersection(place).isEmpty }
    }

    /// Moves a label along its edge from the free position `along` towards the preferred position. Returns the
    /// preferred position. If there are taken places in between, returns the position beside the nearest of them.
    private func targetTowardsHome(from along: Int, on edge: Edge, _ size: Size) -> Int {
        let wanted = edge.clamped(edge.home)
        let band = edge.place(of: size, at: along)
        var target = wanted
        for other in taken where edge.isBeside(other, band) {
            if wanted < along, edge.end(other) <= along { target = max(target, edge.end(other)) }
            if wanted > along, edge.start(other) >= along + edge.length(size) {
                target = min(target, edge.start(other) - edge.length(size))
            }
        }
        return target
    }

    private func aligned(_ along: Int, on edge: Edge) -> Int {
        let (origin, step) = edge.isLevel ? (region.x, step.x) : (region.y, step.y)
        return edge.clamped(origin + Int((Double(along - origin) / Double(step)).rounded()) * step)
    }

    // MARK: The initial side

    /// Returns `nil` if there is no room at any side of the box.
    private func bestSpot(for request: Request, box index: Int) -> Spot? {
        let size = request.size
        var best: (spot: Spot, cost: Double)?
        for (side, sideCost) in zip(LabelPosition.Side.allCases, [0, 0.15, 0.5, 0.5]) {
            guard let edge = Edge(side, of: boxes[index], size, in: region),
                let along = nearestFree(to: edge.clamped(edge.home), on: edge, size)
            else { continue }
            let place = edge.place(of: size, at: along)
            guard !covers(place, moreThan: request.maximumOnArrival, but: index) else { continue }
            let shift = Double(abs(along - edge.home)) / Double(edge.length(size))
            let cost = sideCost + 0.3 * shift
            if cost < best?.cost ?? .infinity { best = (Spot(edge: edge, along: along), cost) }
        }
        return best?.spot
    }

    /// Returns whether the place covers more than the given fraction of the box of an object other than `index`.
    private func covers(_ place: PixelRect, moreThan share: Double, but index: Int) -> Bool {
        boxes.indices.contains {
            $0 != index && Double(place.intersection(boxes[$0]).area) > share * Double(boxes[$0].area)
        }
    }
}

// MARK: - Edges

extension LabelPlacement {
    fileprivate struct Spot {
        let edge: Edge
        let along: Int
    }

    /// The possible positions of a label that touches one side of a box. They increase from left to right or from top
    /// to bottom.
    fileprivate struct Edge {
        let side: LabelPosition.Side
        /// The smallest possible position of the label's left or upper end.
        let low: Int
        /// The largest possible position of the label's left or upper end.
        let high: Int
        /// The preferred position of the label's left or upper end.
        let home: Int
        /// The fixed coordinate of the label: y of its upper end if it is above or below the box, x of its left end if
        /// it is beside the box.
        let across: Int

        /// Returns `nil` if a label at this side would be outside the picture or cover more than half of its own box.
        /// At the upper and lower edges of the picture, a label may overlap its own box, so that it does not disappear.
        init?(_ side: LabelPosition.Side, of box: PixelRect, _ size: Size, in region: PixelRect) {
            self.side = side
            switch side {
            case .above:
                across = max(region.y, box.y - size.height)
                guard 2 * (across + size.height - box.y) <= box.height else { return nil }
            case .below:
                across = min(region.maxY - size.height, box.maxY)
                guard 2 * (box.maxY - across) <= box.height else { return nil }
            case .right:
                across = box.maxX
                guard across + size.width <= region.maxX else { return nil }
            case .left:
                across = box.x - size.width
                guard across >= region.x else { return nil }
            }
            let isLevel = side == .above || side == .below
            let (start, end) = isLevel ? (box.x, box.maxX - size.width) : (box.y, box.maxY - size.height)
            home = start
            low = max(min(start, end), isLevel ? region.x : region.y)
            high = min(max(start, end), isLevel ? region.maxX - size.width : region.maxY - size.height)
            guard low <= high, size.width <= region.width, size.height <= region.height else { return nil }
        }

        var isLevel: Bool { side == .above || side == .below }

        func place(of size: Size, at along: Int) -> PixelRect {
            PixelRect(
                x: isLevel ? along : across, y: isLevel ? across : along, width: size.width, height: size.height)
        }

        func clamped(_ along: Int) -> Int { min(max(along, low), high) }
        func length(_ size: Size) -> Int { isLevel ? size.width : size.height }
        func start(_ rect: PixelRect) -> Int { isLevel ? rect.x : rect.y }
        func end(_ rect: PixelRect) -> Int { isLevel ? rect.maxX : rect.maxY }

        /// Returns whether a label at `place`, moved along the edge, could touch the label `other`.
        func isBeside(_ other: PixelRect, _ place: PixelRect) -> Bool {
            isLevel
                ? other.y < place.maxY && place.y < other.maxY : other.x < place.maxX && place.x < other.maxX
        }
    }
}

/// The position of a tracked object's label relative to its box, kept from frame to frame.
struct LabelPosition: Hashable {
    /// The sides of a box, in order of preference.
    enum Side: CaseIterable {
        case above, below, right, left
    }

    var side: Side
    /// The distance in pixels along the side from the preferred position, which is the side's left or upper end.
    var shift: Int
    /// How long the label has been hidden because there was no room for it, in seconds; `nil` if it is visible.
    var hiddenFor: Double?
    /// The number of the short label that is used because there was no room for the full one; `nil` for the full label.
    var shortLabel: Int?
    /// How long there has been room for the full label, in seconds. Used only while the label is a short one.
    var roomToGrow = 0.0
}

extension LabelPosition {
    fileprivate init(at spot: LabelPlacement.Spot) {
        self.init(side: spot.edge.side, shift: spot.along - spot.edge.home)
    }
}

/// A drawn label: its text, its place, and the box to which it belongs. Places and boxes are on the upright grid.
struct PlacedLabel: Hashable {
    /// `nil` for an object that is not tracked.
    let id: Int?
    let text: String
    let place: PixelRect
    let box: PixelRect

    var summary: String {
        "label of \(id.map { "track \($0)" } ?? "an object"): \(text), \(place.summary), its box \(box.summary)"
    }
}

extension PixelRect {
    fileprivate var summary: String { "\(width)x\(height) at \(x), \(y)" }
}
