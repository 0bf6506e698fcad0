import Testing

@testable import SwiftODT

/// Compares connected components with a flood fill.
@Suite struct ConnectedRunsTests {
    @Test(arguments: 0..<40)
    func regionsEqualFloodFill(_ seed: Int) {
        var random = SplitMix(state: UInt64(seed) &* 0x9E37_79B9 &+ 1)
        let (width, height) = (1 + Int(random.next() % 20), 1 + Int(random.next() % 20))
        let mask = (0..<width * height).map { _ in random.next() % 100 < 45 }
        var connected = ConnectedRuns()
        for y in 0..<height {
            var x = 0
            while x < width {
                let start = x
                while x < width, mask[y * width + x] { x += 1 }
                if x > start { connected.add(row: y, from: start, to: x) }
                x += 1
            }
        }
        connected.connect()
        var found: [Int: Set<Int>] = [:]
        for run in connected.runs {
            found[run.region, default: []].formUnion(run.y * width + run.start..<run.y * width + run.end)
        }
        #expect(found.count == connected.regionCount)
        // Regions are numbered in the order of their first pixels.
        #expect(found.sorted { $0.key < $1.key }.map(\.value) == floodFill(mask, width, height))
    }

    private func floodFill(_ mask: [Bool], _ width: Int, _ height: Int) -> [Set<Int>] {
        var open = mask
        var regions: [Set<Int>] = []
        for start in mask.indices where open[start] {
            var region: Set<Int> = []
            var stack = [start]
            open[start] = false
            while let pixel = stack.popLast() {
                region.insert(pixel)
                let (x, y) = (pixel % width, pixel / width)
                for dy in -1...1 {
                    for dx in -1...1 where (0..<width).contains(x + dx) && (0..<height).contains(y + dy) {
                        let neighbour = (y + dy) * width + x + dx
                        if open[neighbour] { stack.append(neighbour) }
                        open[neighbour] = false
                    }
                }
            }
            regions.append(region)
        }
        return regions
    }

    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            let mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            return (mixed ^ (mixed >> 27)) >> 16
        }
    }
}
