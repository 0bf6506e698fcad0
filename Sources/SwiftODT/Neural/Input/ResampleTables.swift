/// Precomputed source samples and weights of all outputs for one geometry.
struct ResampleTables {
    /// Two source rows of a plane and the weight of the second row in units of 1/16384.
    struct RowPair {
        let first: Int
        let second: Int
        let weight: Int16
    }

    /// The part of a plane that the region covers, and its row pairs.
    struct Plane {
        let index: Int
        /// The range of samples in a row that the region covers.
        let sampleStart: Int
        let sampleCount: Int
        /// One entry per output row.
        let rows: [RowPair]
        /// The buffer for a blended row. It is longer than the row, because the kernels read past the last sample
        /// (weight 0).
        let blended: GrowingStorage<Int16>
    }

    /// Interleaved components of a plane, which are resampled together from the plane's blended row.
    struct Group {
        let blended: GrowingStorage<Int16>
        let step: Int
        /// The index of the group's first row in the resampled component rows.
        let firstRow: Int
        let index = GrowingStorage<Int32>()
        let weights = GrowingStorage<Float>()
    }

    private(set) var planes: [Plane] = []
    private(set) var groups: [Group] = []
    /// The indices of the resampled rows of Y, U, V or R, G, B. All are 0 for grey formats.
    private(set) var componentRows: [Int] = []
    /// The number of resampled rows of all groups.
    private(set) var rowCount = 0

    /// - Parameter padded: the number of outputs in a row, rounded up to a multiple of four; the entries of the padding
    ///   are 0.
    init(geometry: InputGeometry, padded: Int) {
        let (across, down) = geometry.sampling
        let all = geometry.format.components
        let used = geometry.format.isGray ? [all.first] : [all.first, all.second, all.third]
        for index in 0..<geometry.format.planeCount {
            let inPlane = used.filter { $0.plane == index }
            guard let any = inPlane.first else { continue }
            let starts = inPlane.map { across.samples(shift: $0.shiftX).lowerBound * $0.step }
            let ends = inPlane.map { across.samples(shift: $0.shiftX).upperBound * $0.step + $0.offset + 1 }
            let start = starts.min() ?? 0
            let count = (ends.max() ?? start) - start
            let blended = GrowingStorage<Int16>()
            blended.reset(count: count + 16, to: 0)
            let rows = (0..<down.count).map { Self.rowPair(down, output: $0, shift: any.shiftY) }
            planes.append(Plane(index: index, sampleStart: start, sampleCount: count, rows: rows, blended: blended))
        }
        for component in used {
            componentRows.append(row(of: component, across: across, padded: padded) + component.offset % component.step)
        }
        if geometry.format.isGray { componentRows = [0, 0, 0] }
    }

    /// Returns the first row of the component's group, and creates the group for its first component.
    private mutating func row(of component: PixelComponent, across: AxisSampling, padded: Int) -> Int {
        guard let plane = planes.first(where: { $0.index == component.plane }) else { return 0 }
        if let group = groups.first(where: { $0.blended === plane.blended && $0.step == component.step }) {
            return group.firstRow
        }
        let group = Group(blended: plane.blended, step: component.step, firstRow: rowCount)
        group.index.reset(count: padded, to: 0)
        group.weights.reset(count: padded, to: 0)
        for output in 0..<across.count {
            let tap = across.tap(output, shift: component.shiftX)
            group.index.base[output] = Int32(tap.first * component.step - plane.sampleStart)
            group.weights.base[output] = Float(tap.weight)
        }
        rowCount += RowKernels.lanes(step: component.step)
        groups.append(group)
        return group.firstRow
    }

    private static func rowPair(_ sampling: AxisSampling, output: Int, shift: Int) -> RowPair {
        let tap = sampling.tap(output, shift: shift)
        let second = min(tap.first + 1, sampling.samples(shift: shift).upperBound)
        // The weight stays below 16384, so that each half of it has seven bits (see `RowKernels.blend`).
        return RowPair(first: tap.first, second: second, weight: Int16(min((tap.weight * 16384).rounded(), 16383)))
    }
}

/// A buffer that grows and never shrinks, so that repeated use needs no allocation.
final class GrowingStorage<Element: BitwiseCopyable> {
    private(set) var base: UnsafeMutablePointer<Element>
    private var capacity: Int

    init() {
        capacity = 16
        base = UnsafeMutablePointer.allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    /// Ensures capacity for `count` elements and sets all of them to `value`; discards the old contents.
    func reset(count: Int, to value: Element) {
        if count > capacity {
            base.deallocate()
            capacity = count
            base = UnsafeMutablePointer.allocate(capacity: capacity)
        }
        base.initialize(repeating: value, count: count)
    }
}
