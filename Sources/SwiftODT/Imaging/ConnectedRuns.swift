/// Finds the connected regions of horizontal runs of pixels. Diagonal neighbours are also connected (8-connectivity).
struct ConnectedRuns {
    struct Run {
        let y: Int
        let start: Int
        /// The column after the last pixel of the run.
        let end: Int
        var region: Int
    }

    /// In raster order: top to bottom, left to right.
    private(set) var runs: [Run] = []
    private(set) var regionCount = 0

    /// Keeps the allocated memory.
    mutating func removeAll() {
        runs.removeAll(keepingCapacity: true)
        regionCount = 0
    }

    /// Runs must be added in raster order.
    @inline(__always)
    mutating func add(row: Int, from start: Int, to end: Int) {
        runs.append(Run(y: row, start: start, end: end, region: runs.count))
    }

    /// Assigns each run to a region. Regions are numbered from 0, in the order of their first runs.
    mutating func connect() {
        var sets = DisjointSets(count: runs.count)
        var before = 0
        for i in runs.indices {
            while runs[before].y < runs[i].y - 1 || runs[before].y == runs[i].y - 1 && runs[before].end < runs[i].start
            {
                before += 1
            }
            var other = before
            while other < i, runs[other].y == runs[i].y - 1, runs[other].start <= runs[i].end {
                sets.unite(other, i)
                other += 1
            }
        }
        var numbers = [Int](repeating: -1, count: runs.count)
        regionCount = 0
        for i in runs.indices {
            let root = sets.root(i)
            if numbers[root] < 0 {
                numbers[root] = regionCount
                regionCount += 1
            }
            runs[i].region = numbers[root]
        }
    }
}

/// A union-find structure with the members `0..<count`. The root of a set is its lowest member.
struct DisjointSets {
    private var parents: [Int]

    init(count: Int = 0) { parents = Array(0..<count) }

    /// In ascending order.
    var roots: [Int] { parents.indices.filter { parents[$0] == $0 } }

    /// Adds a set with one new member, and returns this member.
    mutating func add() -> Int {
        parents.append(parents.count)
        return parents.count - 1
    }

    /// Shortens the path from `i` to the root for later calls (path halving).
    mutating func root(_ i: Int) -> Int {
        var i = i
        while parents[i] != i {
            parents[i] = parents[parents[i]]
            i = parents[i]
        }
        return i
    }

    mutating func unite(_ a: Int, _ b: Int) {
        let (a, b) = (root(a), root(b))
        parents[max(a, b)] = min(a, b)
    }
}
