/// Splits a connected region of pixels at narrow bridges. For example, two people who touch each other become two
/// regions. The resulting parts are called islands. A bridge is less than half as thick as the thinner of the two
/// islands that it connects.
///
/// The algorithm is a watershed on the distance transform. The thickness of a pixel is its distance from the
/// background. Pixels are added to islands in order of decreasing thickness. Two islands that meet at a bridge stay
/// separate. Sorting the pixels takes most of the time.
struct NarrowBridgeSplitter {
    /// The maximum thickness of a bridge, relative to the thickness of the thinner island.
    private static let neck: Float = 0.5
    /// The minimum area of an island, relative to the area of the largest island. A smaller island, for example a head
    /// or a leg, is merged with a neighbour.
    private static let minimumFragmentShare = 0.3
    /// The maximum number of islands. A region with more islands is probably a texture and not a group of objects. It
    /// is not split.
    private static let maximumPieces = 64

    /// The width of the region's bounding box, plus a border of one background pixel on each side.
    private let width: Int
    /// The distance of each pixel from the background, in pixels.
    private var thickness: [Float]
    /// The index of each pixel's island. -1 for the background and for pixels that have not been added yet.
    private var island: [Int32]

    /// The sets of merged islands. The root of a set is its thickest island.
    private var sets = DisjointSets()
    /// The maximum thickness of each island.
    private var peaks: [Float] = []
    /// The number of pixels of each island.
    private var areas: [Int] = []
    /// The bridges, thickest first, as the indices of the two islands that they connect.
    private var necks: [(Int, Int)] = []

    /// - Parameter pixels: the pixels of the region, within `0..<width` and `0..<height`.
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

    /// Returns the index of the island that contains a pixel of the region. The index is below ``islandCount``.
    func piece(x: Int, y: Int) -> Int { Int(island[(y + 1) * width + x + 1]) }

    /// The number of islands before merging.
    var islandCount: Int { areas.count }

    /// A two-pass chamfer transform.
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

    /// Adds a pixel to an adjacent island. If no island is adjacent, the pixel becomes a new island. If two islands
    /// meet at the pixel, they are merged, unless the pixel is thin enough to be a bridge. The bridge is then recorded.
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

    /// Merges islands that are too small to be objects, the smallest first. Each island is merged with the island at
    /// the other end of its thickest bridge.
    private mutating func joinSmall() { while let (a, b) = nextNeck() { join(a, b) } }

    /// Returns the next two islands to merge. Returns `nil` if no island is too small.
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

    /// The thicker island becomes the root of the merged set: it has the lower number, because islands are numbered in
    /// order of decreasing maximum thickness.
    private mutating func join(_ a: Int, _ b: Int) {
        sets.unite(a, b)
        areas[min(a, b)] += areas[max(a, b)]
    }
}
