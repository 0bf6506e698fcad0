/// The geometry of a zone in pixels of the upright picture.
struct ZoneShape {
    typealias Place = SIMD2<Double>

    private let corners: [Place]
    private let isClosed: Bool
    /// The edges for crossings and distances. Edges of an area along the picture's border are excluded, because no
    /// object crosses them.
    private let edges: [(from: Place, to: Place)]

    init(_ zone: Zone, width: Double, height: Double) {
        let size = Place(width, height)
        corners = zone.points.map { Place($0.x, $0.y) * size }
        isClosed = zone.kind != .line
        let next = isClosed ? Array(corners[1...] + corners[..<1]) : Array(corners[1...])
        edges = zip(corners, next).map { ($0, $1) }.filter { [isClosed] from, to in
            !isClosed || !Self.followsBorder(from, to, size)
        }
    }

    private static func followsBorder(_ from: Place, _ to: Place, _ size: Place) -> Bool {
        let near = 0.01 * size
        return from.x < near.x && to.x < near.x || from.x > size.x - near.x && to.x > size.x - near.x
            || from.y < near.y && to.y < near.y || from.y > size.y - near.y && to.y > size.y - near.y
    }

    /// Returns whether a point lies inside the area, by the even-odd rule.
    func contains(_ place: Place) -> Bool {
        var isInside = false
        var from = corners[corners.count - 1]
        for to in corners {
            if (from.y > place.y) != (to.y > place.y),
                place.x < (to.x - from.x) * (place.y - from.y) / (to.y - from.y) + from.x
            {
                isInside.toggle()
            }
            from = to
        }
        return isInside
    }

    func distance(to place: Place) -> Double {
        edges.map { from, to in
            let edge = to - from
            let length = (edge * edge).sum()
            let part = length > 0 ? min(max(((place - from) * edge).sum() / length, 0), 1) : 0
            let way = place - from - part * edge
            return (way * way).sum().squareRoot()
        }.min() ?? .infinity
    }

    /// Counts how often a straight path crosses the line. Returns the number of crossings from left to right, minus the
    /// number of crossings from right to left. Left and right are seen along the line from its first point to its last.
    func crossings(from start: Place, to end: Place) -> Int {
        edges.reduce(0) { count, edge in
            let (before, after) = (Self.side(of: start, edge), Self.side(of: end, edge))
            let (one, other) = (Self.side(of: edge.from, (start, end)), Self.side(of: edge.to, (start, end)))
            // A path through a corner would cross both edges of the corner, so the corner belongs to only one of them.
            guard (before > 0) != (after > 0), (one > 0) != (other > 0) else { return count }
            return count + (after > 0 ? 1 : -1)
        }
    }

    /// Returns a number that is positive for points to the right of an edge, seen from its start to its end. The y axis
    /// points down.
    private static func side(of place: Place, _ edge: (from: Place, to: Place)) -> Double {
        let (along, across) = (edge.to - edge.from, place - edge.from)
        return along.x * across.y - along.y * across.x
    }
}
