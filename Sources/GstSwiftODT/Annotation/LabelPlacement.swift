import SwiftODT

/// Finds places for the labels of one frame: each touches its box, is inside the picture, covers no other label and hides no
/// object. A label without such a place becomes the short one; without a place for that there is no label.
///
/// A label stays at the side of its box that it has, and goes along it where others push. Where they leave it no room it is
/// away, and comes back when there has been room for a moment, or, after a while, at another side. Nothing jumps.
struct LabelPlacement {
    /// Of a label, in whole pixels.
    typealias Size = (width: Int, height: Int)

    /// Heights of the label in a second: how fast it goes back to where it likes to be, and how fast others may push it.
    private static let glide = 3.0
    private static let push = 10.0
    /// Seconds for which there has to be room until a label comes back, and after which it looks for another side.
    private static let calm = 0.3
    private static let sideChangeDelay = 0.5
    /// Seconds for which the whole label must have room before it replaces the short one.
    private static let patienceToGrow = 1.0
    /// How much of a picture labels may take together, where their size follows from the picture's.
    static let usualShare = 1.0 / 6

    /// A label that asks for a place, and the largest share of another object's box that it may cover: when it comes, and while it stays.
    private struct Request {
        let size: Size
        let mostAtFirst: Double
        let maximum: Double

        /// The upper twentieth of a standing person's box is margin; below that is the head.
        static func whole(_ size: Size) -> Request { Request(size: size, mostAtFirst: 0.03, maximum: 0.06) }
        /// Nothing shorter is left. On a small object the smallest label is large.
        static func last(_ size: Size) -> Request { Request(size: size, mostAtFirst: 0.15, maximum: 0.25) }
    }

    /// What labels keep inside.
    private let region: PixelRect
    /// The boxes of all objects shown.
    private let boxes: [PixelRect]
    /// Places are whole steps from the region's corner.
    private let step: (x: Int, y: Int)
    /// Seconds since the frame before.
    private let elapsed: Double
    private var areaLeft: Int
    private var taken: [PixelRect] = []

    /// - Parameters:
    ///   - reserved: places that no label may cover.
    ///   - share: how much of the region labels may take together.
    init(
        region: PixelRect, boxes: [PixelRect], reserved: [PixelRect] = [], step: (x: Int, y: Int) = (2, 2),
        elapsed: Double = 0, share: Double = 1
    ) {
        (self.region, self.boxes, self.step, self.elapsed) = (region, boxes, step, elapsed)
        taken = reserved
        areaLeft = Int(Double(region.area) * share)
    }

    /// Chooses the place for the label of a box, and keeps later ones off it. Linear in the number of boxes, but for labels in a heap.
    ///
    /// - Parameters:
    ///   - size: of the whole label.
    ///   - short: of a shorter one that takes its place where it has no room; asked for only then. `nil` where there is none.
    ///   - position: how the label stood in the frame before; `nil` for a new one. Without a place it stays `nil`. Says afterwards which
    ///     of the two labels has the place.
    /// - Returns: `nil` if there is no room.
    mutating func place(
        _ size: Size, short: () -> Size? = { nil }, box index: Int, _ position: inout LabelPosition?
    ) -> PixelRect? {
        guard let (spot, size) = choose(size, short, box: index, &position) else { return nil }
        let place = spot.edge.place(of: size, at: aligned(spot.along, on: spot.edge))
        taken.append(place)
        areaLeft -= place.area
        return place
    }

    /// The whole label if it has room and, after a short one, has had room for a while; else the short one.
    private func choose(
        _ size: Size, _ short: () -> Size?, box index: Int, _ position: inout LabelPosition?
    ) -> (spot: Spot, size: Size)? {
        if position?.isShort != true {
            var whole = position
            if let spot = spot(for: .whole(size), box: index, &whole) {
                position = whole
                return (spot, size)
            }
        } else if let spot = growingSpot(for: .whole(size), box: index, &position) {
            return (spot, size)
        }
        guard let short = short() else {
            position?.isShort = false
            return spot(for: .last(size), box: index, &position).map { ($0, size) }
        }
        let roomToGrow = position?.isShort == true ? position?.roomToGrow ?? 0 : 0
        defer {
            position?.isShort = true
            position?.roomToGrow = roomToGrow
        }
        return spot(for: .last(short), box: index, &position).map { ($0, short) }
    }

    /// Where the whole label goes that has been the short one; `nil` until it has had room for a while.
    private func growingSpot(for request: Request, box index: Int, _ position: inout LabelPosition?) -> Spot? {
        guard let stood = position else { return nil }
        var away = stood
        away.hiddenInterval = LabelPosition.HiddenInterval()
        // At its own side, if possible.
        let spot =
            hasRoom(for: request.size) && stood.hiddenInterval == nil
            ? nextSpot(for: request, box: index, away) ?? bestSpot(for: request, box: index) : nil
        guard let spot, stood.roomToGrow + elapsed >= Self.patienceToGrow else {
            position?.roomToGrow = spot == nil ? 0 : stood.roomToGrow + elapsed
            return nil
        }
        position = LabelPosition(side: spot.edge.side, shift: spot.along - Double(spot.edge.home))
        return spot
    }

    private func hasRoom(for size: Size) -> Bool {
        size.width <= region.width && size.height <= region.height && size.width * size.height <= areaLeft
    }

    private func spot(for request: Request, box index: Int, _ position: inout LabelPosition?) -> Spot? {
        guard hasRoom(for: request.size) else {
            position?.stayAway(elapsed, hasRoom: false)
            return nil
        }
        guard let stood = position else {
            let spot = bestSpot(for: request, box: index)
            position = spot.map { LabelPosition(side: $0.edge.side, shift: $0.along - Double($0.edge.home)) }
            return spot
        }
        if let spot = nextSpot(for: request, box: index, stood) {
            position?.shift = spot.along - Double(spot.edge.home)
            guard stood.hiddenInterval != nil else { return spot }
            position?.stayAway(elapsed, hasRoom: true)
            guard let hiddenInterval = position?.hiddenInterval, hiddenInterval.room >= Self.calm else { return nil }
            position?.hiddenInterval = nil
            return spot
        }
        position?.stayAway(elapsed, hasRoom: false)
        guard let hiddenInterval = position?.hiddenInterval, hiddenInterval.duration >= Self.sideChangeDelay,
            let spot = bestSpot(for: request, box: index)
        else { return nil }
        position = LabelPosition(side: spot.edge.side, shift: spot.along - Double(spot.edge.home))
        return spot
    }

    // MARK: The side that it has

    /// Where a label goes that stood somewhere: as far back to where it likes to be as others and the time let it. `nil` where
    /// they leave it no room, or only beyond one that it would have to jump over.
    private func nextSpot(for request: Request, box index: Int, _ position: LabelPosition) -> Spot? {
        let size = request.size
        guard let edge = Edge(position.side, of: boxes[index], size, in: region) else { return nil }
        let height = Double(size.height)
        let before = min(max(Double(edge.home) + position.shift, Double(edge.low)), Double(edge.high))
        guard let free = nearestFree(to: aligned(before, on: edge), on: edge, size) else { return nil }
        var along = free == aligned(before, on: edge) ? before : Double(free)
        let isAway = position.hiddenInterval != nil
        let reach = isAway ? Double.infinity : max(Double(max(step.x, step.y)), Self.push * height * elapsed)
        guard abs(along - before) <= reach else { return nil }
        let home = Double(targetTowardsHome(from: free, on: edge, size))
        let maximum = isAway ? Double.infinity : Self.glide * height * elapsed
        along += min(max(home - along, -maximum), maximum)
        let spot = Spot(edge: edge, along: along)
        let place = edge.place(of: size, at: aligned(along, on: edge))
        return covers(place, moreThan: isAway ? request.mostAtFirst : request.maximum, but: index) ? nil : spot
    }

    /// The free place on an edge that is nearest to one that may not be free.
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

    /// How far towards the end that it likes a label may go until it meets another.
    private func targetTowardsHome(from along: Int, on edge: Edge, _ size: Size) -> Int {
        let wanted = min(max(edge.home, edge.low), edge.high)
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

    private func aligned(_ along: Double, on edge: Edge) -> Int {
        let (origin, step) = edge.isLevel ? (region.x, step.x) : (region.y, step.y)
        let place = origin + Int(((along - Double(origin)) / Double(step)).rounded()) * step
        return min(max(place, edge.low), edge.high)
    }

    // MARK: A side to begin with

    /// The best of all sides; `nil` where there is room at none.
    private func bestSpot(for request: Request, box index: Int) -> Spot? {
        let size = request.size
        var best: (spot: Spot, cost: Double)?
        for (side, dislike) in zip(LabelPosition.Side.allCases, [0, 0.15, 0.5, 0.5]) {
            guard let edge = Edge(side, of: boxes[index], size, in: region),
                let along = nearestFree(to: min(max(edge.home, edge.low), edge.high), on: edge, size)
            else { continue }
            let place = edge.place(of: size, at: along)
            guard !covers(place, moreThan: request.mostAtFirst, but: index) else { continue }
            let shift = Double(abs(along - edge.home)) / Double(edge.length(size))
            let cost = dislike + 0.3 * shift + 0.4 * hidden(by: place, but: index)
            if cost < best?.cost ?? .infinity { best = (Spot(edge: edge, along: Double(along)), cost) }
        }
        return best?.spot
    }

    /// Whether more than a share of another object's box would be covered.
    private func covers(_ place: PixelRect, moreThan share: Double, but index: Int) -> Bool {
        boxes.indices.contains {
            $0 != index && Double(place.intersection(boxes[$0]).area) > share * Double(boxes[$0].area)
        }
    }

    /// How much of other objects is covered there, in areas of the label or, for smaller ones, of the object.
    private func hidden(by place: PixelRect, but index: Int) -> Double {
        boxes.indices.reduce(0) { sum, other in
            guard other != index else { return sum }
            let area = min(place.area, boxes[other].area)
            return sum + Double(place.intersection(boxes[other]).area) / Double(max(1, area))
        }
    }
}

// MARK: - Edges

extension LabelPlacement {
    /// A place on an edge. It moves by fractions of pixels, so that slow ways are ways, too.
    private struct Spot {
        let edge: Edge
        let along: Double
    }

    /// The line that a label may move along at one side of a box, while it touches it: from its left end to its right, or from its upper
    /// end to its lower.
    private struct Edge {
        let side: LabelPosition.Side
        /// The least and the most that the label's own left or upper end may be.
        let low: Int
        let high: Int
        /// Where it likes to be.
        let home: Int
        /// Its upper end on a level edge, its left one on an upright.
        let across: Int

        /// `nil` where a label at this side would be outside of the picture, or hide half of its own object. At the upper and lower edge
        /// of the picture it moves over its box rather than away.
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
            guard low <= high else { return nil }
        }

        var isLevel: Bool { side == .above || side == .below }

        func place(of size: Size, at along: Int) -> PixelRect {
            PixelRect(
                x: isLevel ? along : across, y: isLevel ? across : along, width: size.width, height: size.height)
        }

        func length(_ size: Size) -> Int { isLevel ? size.width : size.height }
        func start(_ rect: PixelRect) -> Int { isLevel ? rect.x : rect.y }
        func end(_ rect: PixelRect) -> Int { isLevel ? rect.maxX : rect.maxY }

        /// Whether a label on this edge may meet another one by moving along.
        func isBeside(_ other: PixelRect, _ place: PixelRect) -> Bool {
            isLevel
                ? other.y < place.maxY && place.y < other.maxY : other.x < place.maxX && place.x < other.maxX
        }
    }
}

extension LabelPosition {
    fileprivate mutating func stayAway(_ elapsed: Double, hasRoom: Bool) {
        var hiddenInterval = hiddenInterval ?? HiddenInterval()
        hiddenInterval.duration += elapsed
        hiddenInterval.room = hasRoom ? hiddenInterval.room + elapsed : 0
        self.hiddenInterval = hiddenInterval
    }
}
