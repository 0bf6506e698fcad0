/// Splits a region at narrow bridges, so that two touching people become two regions. A bridge is at most half as thick
/// as the thinner of the two parts that it connects.
///
/// The algorithm is a watershed on the distance transform: pixels are added in order of decreasing thickness, and
/// islands that meet at a bridge stay separate. The cost is dominated by sorting the region's pixels.
struct NarrowBridgeSplitter {
    /// Thickness of a bridge relative to the thinner part.
    private static let neck: Float = 0.5
    /// Parts smaller than this share of the largest part, for example heads and legs, are not split off.
    private static let minimumFragmentShare = 0.3
    /// A region with more parts is a texture rather than a group of objects, and is not split.
    private static let maximumPieces = 64

    /// Width of the region's bounding box with a border of one background pixel.
    private let width: Int
    private var thickness: [Float]
    private var island: [Int32]

    // Per island:
    private var sets = DisjointSets()
    private var peaks: [Float] = []
    private var areas: [Int] = []
    /// The bridges between islands, thickest first.
    private var necks: [(Int, Int)] = []

    /// - Parameter pixels: the coordinates of the region's pixels, within `0..<width` and `0..<height`.
    init(width: Int, height: Int, pixels: [(x: Int, y: Int)]) {
        self.width = width + 2
        thickness = Array(repeating: 0, count: (width + 2) * (height + 2))
        island = Array(repeating: -1, count: thickness.count)
        for (x, y) in pixels { thickness[(y + 1) * self.width + x + 1] = .greatestFiniteMagnitude }
        measureThickness()
        let places = pixels.map { ($0.y + 1) * self.width + $0.x + 1 }
        for place in places.sorted(by: { thickness[$0] > thickness[$1] || thickness[$0] == thickness[$1] && $0 < $1 }) {
            flood(place)
        }
        let pieces = sets.roots
        if pieces.count <= Self.maximumPieces {
            joinSmall()
        } else {
            pieces.dropFirst().forEach { join(pieces[0], $0) }
        }
        for place in places { island[place] = Int32(sets.root(Int(island[place]))) }
    }

    /// Returns the part that contains a pixel. Each part has a unique number below ``islandCount``.
    func piece(x: Int, y: Int) -> Int { Int(island[(y + 1) * width + x + 1]) }

    var islandCount: Int { areas.count }

    /// Computes each pixel's distance from the background, by a two-pass chamfer transform.
    private mutating func measureThickness() {
        let aslant: Float = 1.4142
        for place in thickness.indices.dropFirst(width + 1).dropLast(width + 1) where thickness[place] > 0 {
            thickness[place] = min(
                thickness[place - 1] + 1, thickness[place - width] + 1, thickness[place - width - 1] + aslant,
                thickness[place - width + 1] + aslant)
        }
        for place in thickness.indices.dropFirst(width + 1).dropLast(width + 1).reversed() where thickness[place] > 0 {
            thickness[place] = min(
                thickness[place], thickness[place + 1] + 1, thickness[place + width] + 1,
                thickness[place + width + 1] + aslant, thickness[place + width - 1] + aslant)
        }
    }

    private mutating func flood(_ place: Int) {
        let depth = thickness[place]
        var own = -1
        for step in [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1] where island[place + step] >= 0
        {
            let other = sets.root(Int(island[place + step]))
            if own < 0 {
                own = other
            } else if own != other {
                let (higher, lower) = peaks[own] >= peaks[other] ? (own, other) : (other, own)
                if depth >= Self.neck * peaks[lower] { join(higher, lower) } else { necks.append((higher, lower)) }
                own = sets.root(higher)
            }
        }
        if own < 0 {
            own = sets.add()
            peaks.append(depth)
            areas.append(0)
        }
        island[place] = Int32(own)
        areas[own] += 1
    }

    /// Merges parts that are too small to be objects, smallest first, each across its thickest bridge.
    private mutating func joinSmall() { while let (a, b) = nextNeck() { join(a, b) } }

    /// Returns the next two parts to merge.
    private mutating func nextNeck() -> (Int, Int)? {
        let pieces = sets.roots
        let minimum = Self.minimumFragmentShare * Double(pieces.map { areas[$0] }.max() ?? 0)
        for piece in pieces.sorted(by: { areas[$0] < areas[$1] }) {
            guard Double(areas[piece]) < minimum else { return nil }
            for neck in necks {
                let (a, b) = (sets.root(neck.0), sets.root(neck.1))
                if a != b, a == piece || b == piece { return (a, b) }
            }
        }
        return nil
    }

    /// Islands are numbered by decreasing peak thickness, so the lower number, which becomes the root, belongs to the
    /// thicker one.
    private mutating func join(_ a: Int, _ b: Int) {
        sets.unite(a, b)
        areas[min(a, b)] += areas[max(a, b)]
    }
}
