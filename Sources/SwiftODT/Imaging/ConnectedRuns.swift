/// Joins horizontal runs of pixels into 8-connected regions.
struct ConnectedRuns {
    /// A horizontal run of pixels, and the number of its region.
    struct Run {
        let y: Int
        let start: Int
        /// One past the last pixel of the run.
        let end: Int
        var region: Int
    }

    /// The runs in raster order: top to bottom, left to right.
    private(set) var runs: [Run] = []
    private(set) var regionCount = 0

    /// Removes all runs but keeps the allocated memory.
    mutating func removeAll() {
        runs.removeAll(keepingCapacity: true)
        regionCount = 0
    }

    /// Appends a run. Callers must add runs in raster order.
    @inline(__always)
    mutating func add(row: Int, from start: Int, to end: Int) {
        runs.append(Run(y: row, start: start, end: end, region: runs.count))
    }

    /// Assigns region numbers from 0, in the order of each region's first pixel.
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

/// A union-find structure over 0..<count. The lowest member of a set is its root.
struct DisjointSets {
    private var parents: [Int]

    /// Creates `count` sets with one member each.
    init(count: Int = 0) { parents = Array(0..<count) }

    /// The root of every set, in ascending order.
    var roots: [Int] { parents.indices.filter { parents[$0] == $0 } }

    /// Adds a set with one new member and returns that member.
    mutating func add() -> Int {
        parents.append(parents.count)
        return parents.count - 1
    }

    /// Returns the root of the set of `i`, halving the path to it.
    mutating func root(_ i: Int) -> Int {
        var i = i
        while parents[i] != i {
            parents[i] = parents[parents[i]]
            i = parents[i]
        }
        return i
    }

    /// Merges the sets of `a` and `b`.
    mutating func unite(_ a: Int, _ b: Int) {
        let (a, b) = (root(a), root(b))
        parents[max(a, b)] = min(a, b)
    }
}
