/// Where a picture differs from the one that was looked at last, cell by cell.
///
/// Light that changes all over is no difference, nor is a camera's noise. Costs a few instructions for each sixteen pixels of the plane,
/// some hundredths of a millisecond.
struct FrameDifference: Sendable {
    /// The picture is divided into so many cells across and down; the last ones overlap those before them where it does not come out even.
    private(set) var columns = 0
    private(set) var rows = 0
    /// Whether a cell differs, row by row.
    private(set) var isChanged: ContiguousArray<Bool> = []
    /// How many cells do.
    private(set) var count = 0

    private var plane: LumaPlane?
    /// Of each cell, for the moment.
    private var sums: ContiguousArray<Int> = []
    /// Grey levels by which pictures differ where nothing happens.
    private var noise = 2.0

    /// Pixels of the plane that a cell has across and down.
    static let side = 16
    /// A pixel differs by more grey levels than these and so many times the noise.
    private static let minimum = 12.0
    private static let noiseFactor = 3.0
    /// More noise than this is something that happens.
    private static let maximumNoise = 4.0
    /// Seconds in which noise is learnt.
    private static let memory = 0.36
    /// So many of a cell's pixels differ where the cell does.
    private static let minimumCount: Int16 = 10

    /// The picture that others are compared with from now on.
    mutating func remember(_ plane: LumaPlane?) { self.plane = plane }

    /// Compares a picture with the one that is remembered.
    ///
    /// - Parameter seconds: since the frame before, for noise to be learnt alike at any rate of frames.
    /// - Returns: whether there is one, of the same size.
    mutating func compare(_ new: LumaPlane, after seconds: Double) -> Bool {
        guard let old = plane, old.width == new.width, old.height == new.height,
            min(new.width, new.height) >= Self.side
        else { return false }
        (columns, rows) = ((new.width + Self.side - 1) / Self.side, (new.height + Self.side - 1) / Self.side)
        if isChanged.count != columns * rows {
            isChanged = ContiguousArray(repeating: false, count: columns * rows)
            sums = ContiguousArray(repeating: 0, count: columns * rows)
        }
        new.withPixels { new in
            old.withPixels { pixels in
                guard let first = new.baseAddress, let other = pixels.baseAddress else { return }
                compare(first, other, width: old.width, height: old.height, after: seconds)
            }
        }
        return true
    }

    /// Whether anything differs in a box, in pixels of the plane.
    func differs(in box: Box) -> Bool {
        guard let (columns, lines) = cells(of: box) else { return false }
        for row in lines {
            for column in columns where isChanged[row * self.columns + column] { return true }
        }
        return false
    }

    /// The columns and rows that a box, in pixels of the plane, touches.
    func cells(of box: Box) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>)? {
        let side = Double(Self.side)
        let inside = box.clipped(width: columns * Self.side, height: rows * Self.side)
        guard box.isFinite, !inside.isEmpty else { return nil }
        return (
            Int(inside.minX / side)...min(columns - 1, Int(inside.maxX / side)),
            Int(inside.minY / side)...min(rows - 1, Int(inside.maxY / side))
        )
    }

    private mutating func compare(
        _ new: UnsafePointer<UInt8>, _ old: UnsafePointer<UInt8>, width: Int, height: Int, after seconds: Double
    ) {
        let light = Int16(clamping: findLight(new, old, width: width, height: height))
        let threshold = SIMD16(repeating: Int16(Self.minimum + Self.noiseFactor * noise))
        count = 0
        for cell in isChanged.indices {
            var (sum, hits) = (SIMD16<Int16>.zero, SIMD16<Int16>.zero)
            for place in Self.places(of: cell, columns: columns, width: width, height: height) {
                let difference = Self.load(new + place) &- Self.load(old + place) &- light
                // -1 where it is darker, and where it is more than the threshold: comparisons are made lane by lane, shifts are not.
                let darker = difference &>> 15
                let size = (difference ^ darker) &- darker
                sum &+= size
                hits &-= (threshold &- size) &>> 15
            }
            sums[cell] = Self.whole(sum)
            isChanged[cell] = hits.wrappedSum() >= Self.minimumCount
            if isChanged[cell] { count += 1 }
        }
        // A quarter of the picture is calm, most often; where it is not, that is no noise.
        sums.sort()
        let calm = Double(sums[sums.count / 4]) / Double(Self.side * Self.side)
        noise += (min(calm, Self.maximumNoise) - noise) * (seconds / (seconds + Self.memory))
    }

    /// By how many grey levels most of the picture has become lighter.
    private mutating func findLight(_ new: UnsafePointer<UInt8>, _ old: UnsafePointer<UInt8>, width: Int, height: Int)
        -> Int
    {
        for cell in isChanged.indices {
            var sum = SIMD16<Int16>.zero
            for place in Self.places(of: cell, columns: columns, width: width, height: height) {
                sum &+= Self.load(new + place) &- Self.load(old + place)
            }
            sums[cell] = Self.whole(sum)
        }
        sums.sort()
        return sums[sums.count / 2] / (Self.side * Self.side)
    }

    /// Where each line of a cell begins.
    @inline(__always)
    private static func places(of cell: Int, columns: Int, width: Int, height: Int) -> StrideTo<Int> {
        let first = min(cell / columns * side, height - side) * width + min(cell % columns * side, width - side)
        return stride(from: first, to: first + side * width, by: width)
    }

    @inline(__always)
    private static func load(_ start: UnsafePointer<UInt8>) -> SIMD16<Int16> {
        SIMD16<Int16>(truncatingIfNeeded: UnsafeRawPointer(start).loadUnaligned(as: SIMD16<UInt8>.self))
    }

    @inline(__always)
    private static func whole(_ sum: SIMD16<Int16>) -> Int {
        Int(SIMD16<Int32>(truncatingIfNeeded: sum).wrappedSum())
    }
}
