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

    /// Finds the regions of `marks`. `gap` is the radius of the dilation in pixels. Regions with a gap of up to twice
    /// this radius are connected.
    func label(_ marks: PixelGrid<UInt8>, gap: Int) {
        join(marks, gap: gap)
        findRuns()
        connected.connect()
        measure(marks)
    }

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
    var area = 0
    /// The number of pixels with the mark ``BackgroundModel/Mark/strong``.
    var strong = 0

    var box: Box {
        Box(minX: Double(minX), minY: Double(minY), maxX: Double(maxX), maxY: Double(maxY))
    }

    mutating func add(_ x: Int, _ y: Int, strong isStrong: Bool) {
        minX = min(minX, x)
        minY = min(minY, y)
        maxX = max(maxX, x + 1)
        maxY = max(maxY, y + 1)
        area += 1
        if isStrong { strong += 1 }
    }
}

/// A grid with one value for each pixel of a plane, in row order. The address of the memory does not change.
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

/// Moves the sides of a region's box to the edges of the object, with subpixel accuracy.
///
/// The region is larger than the object, because the foreground is smoothed. A pixel that the object covers only in
/// part differs less from the background than a completely covered pixel. The ratio of the two differences gives the
/// position of the edge within the pixel.
struct BoxRefinement {
    let marks: PixelGrid<UInt8>
    let difference: PixelGrid<Float>

    private static let maximum = 3
    /// An outermost column or row belongs to the object only if its ``coverage(_:isColumn:_:_:)`` is at least this
    /// value.
    private static let minimum: Float = 0.12

    func refine(_ region: Region) -> Box {
        let left = inset(region, isColumn: true, from: region.minX, towards: 1)
        let right = inset(region, isColumn: true, from: region.maxX - 1, towards: -1)
        let top = inset(region, isColumn: false, from: region.minY, towards: 1)
        let bottom = inset(region, isColumn: false, from: region.maxY - 1, towards: -1)
        return Box(
            minX: Double(region.minX) + left, minY: Double(region.minY) + top,
            maxX: Double(region.maxX) - right, maxY: Double(region.maxY) - bottom)
    }

    /// Returns the distance in pixels by which a side moves inwards. `start` is the outermost column or row of the
    /// region on this side. `step` is the inward direction, 1 or -1.
    private func inset(_ region: Region, isColumn: Bool, from start: Int, towards step: Int) -> Double {
        let extent = isColumn ? region.maxX - region.minX : region.maxY - region.minY
        let maximum = min(Self.maximum, (extent - 3) / 2)
        var line = start
        for moved in 0..<max(0, maximum) {
            let share = coverage(region, isColumn: isColumn, line, step)
            if share >= Self.minimum { return Double(moved) + Double(max(0, 1 - share)) }
            line += step
        }
        return Double(max(0, maximum))
    }

    /// Returns the fraction of an outermost column or row that the object covers, at most 1. The fraction is the
    /// maximum difference from the background in this line, divided by the maximum difference in the next two lines
    /// inwards.
    private func coverage(_ region: Region, isColumn: Bool, _ line: Int, _ step: Int) -> Float {
        let width = marks.width
        var (outer, inner): (Float, Float) = (0, 0)
        for along in isColumn ? region.minY..<region.maxY : region.minX..<region.maxX {
            let i = isColumn ? along * width + line : line * width + along
            guard marks.base[i] != 0 else { continue }
            let stride = isColumn ? step : step * width
            outer = max(outer, abs(difference.base[i]))
            inner = max(inner, abs(difference.base[i + stride]), abs(difference.base[i + 2 * stride]))
        }
        return inner > 0 ? min(1, outer / inner) : 1
    }
}
