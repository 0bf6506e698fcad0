/// Labels connected regions of foreground pixels. Bridges small gaps, for example where an object resembles the
/// background.
///
/// The algorithm works on runs, which are horizontal sequences of foreground pixels. Its cost depends on the number of
/// edges rather than pixels.
final class RegionLabeler {
    private(set) var regions: [Region] = []
    private var connected = ConnectedRuns()
    private let joined: PixelGrid<UInt8>
    private let across: PixelGrid<UInt8>

    init(width: Int, height: Int) {
        joined = PixelGrid(width: width, height: height, filled: 0)
        across = PixelGrid(width: width, height: height, filled: 0)
    }

    /// All runs of the dilated foreground.
    var runs: [ConnectedRuns.Run] { connected.runs }

    /// Finds the regions of `marks`.
    ///
    /// - Parameter gap: the radius of the dilation in pixels. Regions with a gap of up to twice this radius are
    ///   connected.
    func label(_ marks: PixelGrid<UInt8>, gap: Int) {
        join(marks, gap: gap)
        findRuns()
        connected.connect()
        measure(marks)
    }

    /// Calls `body` for each foreground pixel, with the index of its region.
    func forEachPixel(of marks: PixelGrid<UInt8>, _ body: (_ region: Int, _ x: Int, _ y: Int, _ index: Int) -> Void) {
        for run in connected.runs {
            let row = run.y * marks.width
            for x in run.start..<run.end where marks.base[row + x] != 0 { body(run.region, x, run.y, row + x) }
        }
    }

    private func join(_ marks: PixelGrid<UInt8>, gap: Int) {
        let (width, height) = (marks.width, marks.height)
        for y in 0..<height {
            let from = marks.base + y * width
            let to = across.base + y * width
            to.update(from: from, count: width)
            for distance in 1..<(gap + 1) where distance < width {
                var x = distance
                while x < width {
                    to[x] |= from[x - distance]
                    to[x - distance] |= from[x]
                    x &+= 1
                }
            }
        }
        for y in 0..<height {
            let to = joined.base + y * width
            to.update(from: across.base + y * width, count: width)
            for other in max(0, y - gap)..<min(height, y + gap + 1) where other != y {
                let from = across.base + other * width
                var x = 0
                while x < width {
                    to[x] |= from[x]
                    x &+= 1
                }
            }
        }
    }

    private func findRuns() {
        connected.removeAll()
        let width = joined.width
        for y in 0..<joined.height {
            let row = joined.base + y * width
            var x = 0
            while x < width {
                if x + 8 <= width, UnsafeRawPointer(row + x).loadUnaligned(as: UInt64.self) == 0 {
                    x &+= 8
                } else if row[x] == 0 {
                    x &+= 1
                } else {
                    let start = x
                    while x < width, row[x] != 0 { x &+= 1 }
                    connected.add(row: y, from: start, to: x)
                }
            }
        }
    }

    private func measure(_ marks: PixelGrid<UInt8>) {
        regions = [Region](repeating: Region(), count: connected.regionCount)
        forEachPixel(of: marks) { region, x, y, index in
            regions[region].add(x, y, strong: marks.base[index] & 2 != 0)
        }
    }
}

/// A connected region of foreground pixels, in plane coordinates. The maxima are exclusive.
struct Region {
    var minX = Int.max
    var minY = Int.max
    var maxX = 0
    var maxY = 0
    /// The number of foreground pixels.
    var area = 0
    /// The number of pixels with the mark ``BackgroundModel/Mark/strong``.
    var strong = 0

    var box: Box {
        Box(minX: Double(minX), minY: Double(minY), maxX: Double(maxX), maxY: Double(maxY))
    }

    /// Extends the region by a foreground pixel.
    mutating func add(_ x: Int, _ y: Int, strong isStrong: Bool) {
        minX = min(minX, x)
        minY = min(minY, y)
        maxX = max(maxX, x + 1)
        maxY = max(maxY, y + 1)
        area += 1
        if isStrong { strong += 1 }
    }
}

/// One value for each pixel of a plane, in row order at a stable address.
final class PixelGrid<Value: BitwiseCopyable> {
    let width: Int
    let height: Int
    let count: Int
    let base: UnsafeMutablePointer<Value>

    init(width: Int, height: Int, filled value: Value) {
        self.width = width
        self.height = height
        count = width * height
        base = .allocate(capacity: count)
        base.initialize(repeating: value, count: count)
    }

    deinit { base.deallocate() }

    func fill(_ value: Value) { base.update(repeating: value, count: count) }
}
