/// Joins the runs of pixels of row after row into regions: runs that touch, be it at a corner, belong together.
struct ConnectedRuns {
    private struct Run {
        var columns: Range<Int>
        var region: Int
    }

    private var regionsSoFar: [SaliencyMap.Region] = []
    /// For each region the one that it has been joined to, itself if none.
    private var parents: [Int] = []
    private var above: [Run] = []
    private var current: [Run] = []
    /// The first run above that may touch what comes next.
    private var next = 0

    /// The runs that are added from now on lie in the next row.
    mutating func beginRow() {
        swap(&above, &current)
        current.removeAll(keepingCapacity: true)
        next = 0
    }

    /// Adds a run of the current row; they come from left to right.
    mutating func add(_ columns: Range<Int>, row: Int, mass: Double) {
        let region = parents.count
        parents.append(region)
        regionsSoFar.append(
            .init(
                box: Box(x: Double(columns.lowerBound), y: Double(row), width: Double(columns.count), height: 1),
                area: columns.count, mass: mass))
        while next < above.count, above[next].columns.upperBound < columns.lowerBound { next += 1 }
        var other = next
        while other < above.count, above[other].columns.lowerBound <= columns.upperBound {
            join(root(of: above[other].region), root(of: region))
            other += 1
        }
        current.append(Run(columns: columns, region: region))
    }

    /// All regions.
    func regions() -> [SaliencyMap.Region] {
        parents.indices.filter { parents[$0] == $0 }.map { regionsSoFar[$0] }
    }

    private mutating func root(of region: Int) -> Int {
        var region = region
        while parents[region] != region {
            parents[region] = parents[parents[region]]
            region = parents[region]
        }
        return region
    }

    private mutating func join(_ a: Int, _ b: Int) {
        guard a != b else { return }
        let (kept, joined) = a < b ? (a, b) : (b, a)
        parents[joined] = kept
        regionsSoFar[kept].absorb(regionsSoFar[joined])
    }
}

extension SaliencyMap.Region {
    mutating func absorb(_ other: Self) {
        box = box.union(other.box)
        area += other.area
        mass += other.mass
    }
}
