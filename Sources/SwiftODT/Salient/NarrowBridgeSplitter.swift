/// Cuts a region at its necks, so that two people who touch are two things: where the way from one thick place to another is only
/// half as wide as the thinner of them, or less.
///
/// Pixels are taken in from the region's thickest places outwards, as water that sinks leaves islands: islands that meet at a neck stay
/// apart, others become one. Costs a sorting of the region's pixels, some milliseconds for a large one.
struct NarrowBridgeSplitter {
    /// A neck is so much thinner than the thinner side.
    private static let neck: Float = 0.5
    /// What is smaller than this share of the region's largest piece, as heads and legs are, is cut off nothing.
    private static let minimumFragmentShare = 0.3
    /// What falls into more is a pattern, and no group of things.
    private static let maximumPieces = 64

    /// A region's pixels between its bounds, with a border of one pixel that is outside.
    private let width: Int
    private var thickness: [Float]
    private var island: [Int32]

    // By island.
    private var sets = DisjointSets()
    private var peaks: [Float] = []
    private var areas: [Int] = []
    /// From the thickest on.
    private var necks: [(Int, Int)] = []

    /// - Parameter pixels: the places of the region's pixels, each within `0..<width` and `0..<height`.
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

    /// Which piece a pixel belongs to: numbers below ``islandCount`` that pieces share with no other.
    func piece(x: Int, y: Int) -> Int { Int(island[(y + 1) * width + x + 1]) }

    var islandCount: Int { areas.count }

    /// How far each pixel is from the outside, by steps across and aslant.
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

    /// Pieces too small to be things become parts of what they hang on by the thickest neck, the smallest first.
    private mutating func joinSmall() { while let (a, b) = nextNeck() { join(a, b) } }

    /// The two pieces that become one next.
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

    /// The lower number, which stands for both, is that of the thicker one: islands rise from the thickest on.
    private mutating func join(_ a: Int, _ b: Int) {
        sets.unite(a, b)
        areas[min(a, b)] += areas[max(a, b)]
    }
}
