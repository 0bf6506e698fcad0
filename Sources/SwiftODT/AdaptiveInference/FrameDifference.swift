/// Compares a frame with the reference frame, which is the last inferred frame. The frames are compared cell by cell.
///
/// Global changes of brightness and sensor noise do not count as differences. The comparison uses SIMD with 16 pixels
/// per operation.
struct FrameDifference: Sendable {
    /// If the plane's size is not a multiple of the cell size, the last cells overlap the previous ones.
    private(set) var columns = 0
    private(set) var rows = 0
    /// For each cell in row order, whether it differs from the reference frame.
    private(set) var isChanged: ContiguousArray<Bool> = []
    private(set) var count = 0
    /// The height of a cell in plane pixels. It is less than ``side`` if the plane is lower.
    private var cellHeight = side

    private var plane: LumaPlane?
    /// The sum of the absolute differences in each cell. Kept to avoid an allocation per frame.
    private var sums: ContiguousArray<Int> = []
    /// The noise of the camera: the mean absolute difference in static areas, in grey levels.
    private var noise = 2.0

    /// The side of a cell in plane pixels.
    static let side = 16
    /// A pixel differs if its grey level changes by more than `minimum + noiseFactor * noise`.
    private static let minimum = 12.0
    private static let noiseFactor = 3.0
    /// The upper limit of the noise estimate, in grey levels. Larger differences are real changes.
    private static let maximumNoise = 4.0
    /// In seconds.
    private static let noiseTimeConstant = 0.36
    private static let minimumCount: Int16 = 10

    mutating func remember(_ plane: LumaPlane?) { self.plane = plane }

    /// Compares a frame with the reference frame. Returns `false` if there is no reference frame of the same size.
    /// `seconds` is the time since the previous frame; it makes the noise estimate independent of the frame rate.
    mutating func compare(_ new: LumaPlane, after seconds: Double) -> Bool {
        guard let old = plane, old.width == new.width, old.height == new.height,
            new.width >= Self.side
        else { return false }
        cellHeight = min(Self.side, new.height)
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

    /// Returns whether at least one cell that a box touches differs from the reference frame. The box is in plane
    /// pixels.
    func differs(in box: Box) -> Bool {
        guard let (columns, lines) = cells(of: box) else { return false }
        for row in lines {
            for column in columns where isChanged[row * self.columns + column] { return true }
        }
        return false
    }

    /// Returns the columns and rows of the cells that a box touches. The box is in plane pixels. `nil` if the box is
    /// outside the plane.
    func cells(of box: Box) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>)? {
        let side = Double(Self.side)
        let inside = box.clipped(width: columns * Self.side, height: rows * Self.side)
        guard box.isFinite, !inside.isEmpty else { return nil }
        return (
            Int(inside.minX / side)...min(columns - 1, Int(inside.maxX / side)),
            Int(inside.minY / side)...min(rows - 1, Int(inside.maxY / side))
        )
    }

    func neighbours(of index: Int) -> some Sequence<Int> {
        let (row, column) = (index / columns, index % columns)
        let across = max(0, column - 1)...min(columns - 1, column + 1)
        return (max(0, row - 1)...min(rows - 1, row + 1)).lazy.flatMap { [columns] y in
            across.lazy.map { y * columns + $0 }
        }
    }

    private mutating func compare(
        _ new: UnsafePointer<UInt8>, _ old: UnsafePointer<UInt8>, width: Int, height: Int, after seconds: Double
    ) {
        let light = Int16(clamping: findLight(new, old, width: width, height: height))
        let threshold = SIMD16(repeating: Int16(Self.minimum + Self.noiseFactor * noise))
        count = 0
        for cell in isChanged.indices {
            var (sum, hits) = (SIMD16<Int16>.zero, SIMD16<Int16>.zero)
            for place in lineOffsets(of: cell, width: width, height: height) {
                let difference = Self.load(new + place) &- Self.load(old + place) &- light
                // The arithmetic shift gives -1 for negative lanes and 0 for others. It compiles to a vector
                // instruction, unlike a lane-wise comparison.
                let darker = difference &>> 15
                let size = (difference ^ darker) &- darker
                sum &+= size
                hits &-= (threshold &- size) &>> 15
            }
            sums[cell] = Self.whole(sum)
            isChanged[cell] = hits.wrappedSum() >= Self.minimumCount
            if isChanged[cell] { count += 1 }
        }
        // Estimates the noise from the quarter of the cells that differ least. These cells are usually static.
        sums.sort()
        let calm = Double(sums[sums.count / 4]) / Double(Self.side * cellHeight)
        noise += (min(calm, Self.maximumNoise) - noise) * (seconds / (seconds + Self.noiseTimeConstant))
    }

    /// Returns the median change of brightness over all cells, in grey levels.
    private mutating func findLight(_ new: UnsafePointer<UInt8>, _ old: UnsafePointer<UInt8>, width: Int, height: Int)
        -> Int
    {
        for cell in isChanged.indices {
            var sum = SIMD16<Int16>.zero
            for place in lineOffsets(of: cell, width: width, height: height) {
                sum &+= Self.load(new + place) &- Self.load(old + place)
            }
            sums[cell] = Self.whole(sum)
        }
        sums.sort()
        return sums[sums.count / 2] / (Self.side * cellHeight)
    }

    @inline(__always)
    private func lineOffsets(of cell: Int, width: Int, height: Int) -> StrideTo<Int> {
        let (column, line) = (cell % columns * Self.side, cell / columns * Self.side)
        let first = min(line, height - cellHeight) * width + min(column, width - Self.side)
        return stride(from: first, to: first + cellHeight * width, by: width)
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
