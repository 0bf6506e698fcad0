/// Joins stretches of pixels to regions: those that touch, be it at a corner, belong together.
struct ConnectedRuns {
    /// A stretch of pixels in a row, and the region it belongs to.
    struct Run {
        let y: Int
        let start: Int
        /// The first pixel that is no longer part of it.
        let end: Int
        var region: Int
    }

    /// Row by row from the top, left to right.
    private(set) var runs: [Run] = []
    private(set) var regionCount = 0

    mutating func removeAll() {
        runs.removeAll(keepingCapacity: true)
        regionCount = 0
    }

    /// Adds a run; they come in the order in which they are kept.
    @inline(__always)
    mutating func add(row: Int, from start: Int, to end: Int) {
        runs.append(Run(y: row, start: start, end: end, region: runs.count))
    }

    /// Numbers the regions from 0, in the order of their first pixel.
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
