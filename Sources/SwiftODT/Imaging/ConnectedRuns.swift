/// Finds the connected regions of horizontal runs of pixels. Diagonal neighbours are also connected (8-connectivity).
struct ConnectedRuns {
    /// A horizontal run of pixels in one row, and the index of the region to which the run belongs.
    struct Run {
        /// The row (`y`), and the column of the first pixel of the run (`start`).
        let y: Int
        let start: Int
        /// The column after the last pixel of the run.
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

    /// Appends a run. Runs must be appended in raster order.
    @inline(__always)
    mutating func add(row: Int, from start: Int, to end: Int) {
        runs.append(Run(y: row, start: start, end: end, region: runs.count))
    }

    /// Determines the region of each run. Regions are numbered from 0, in the order of the first run of each region.
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

/// A union-find structure with the members 0..<count. The lowest member of a set is the root of the set.
struct DisjointSets {
    private var parents: [Int]

    /// Creates `count` sets with one member each.
    init(count: Int = 0) { parents = Array(0..<count) }

    /// The roots of all sets, in ascending order.
    var roots: [Int] { parents.indices.filter { parents[$0] == $0 } }

    /// Adds a set with one new member. Returns the new member.
    mutating func add() -> Int {
        parents.append(parents.count)
        return parents.count - 1
    }

    /// Returns the root of the set that contains `i`. Shortens the path from `i` to the root for later calls (path
    /// halving).
    mutating func root(_ i: Int) -> Int {
        var i = i
        while parents[i] != i {
            parents[i] = parents[parents[i]]
            i = parents[i]
        }
        return i
    }

    /// Merges the sets that contain `a` and `b`.
    mutating func unite(_ a: Int, _ b: Int) {
        let (a, b) = (root(a), root(b))
        parents[max(a, b)] = min(a, b)
    }
}
