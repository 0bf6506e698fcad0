/// For each output pixel: the source samples between which the pixel is interpolated, and the weights of these samples.
struct ResampleTables {
    /// The two source rows between which an output row is interpolated. `weight` is the weight of the second row, in
    /// units of 1/16384.
    struct RowPair {
        let first: Int
        let second: Int
        let weight: Int16
    }

    /// The samples of one plane of the frame that the inferred region covers.
    struct Plane {
        let index: Int
        /// The samples that the region covers in each row of the plane.
        let sampleStart: Int
        let sampleCount: Int
        /// One entry per output row.
        let rows: [RowPair]
        /// The buffer for a row that was blended from two source rows. It is longer than the row, because the kernels
        /// also read samples beyond the end of the row, with a weight of 0.
        let blended: GrowingStorage<Int16>
    }

    /// Interleaved components of one plane, which are resampled together from the blended row of the plane.
    struct Group {
        let blended: GrowingStorage<Int16>
        /// The number of interleaved samples per pixel.
        let step: Int
        /// The index of the first component row of the group. A component row has the resampled values of one
        /// component. ``InputFiller`` stores the component rows of all groups one after another.
        let firstRow: Int
        /// For each output pixel: the index in the blended row of the first of the two source pixels.
        let index = GrowingStorage<Int32>()
        /// For each output pixel: the weight of the second of the two source pixels, 0 to below 1.
        let weights = GrowingStorage<Float>()
    }

    private(set) var planes: [Plane] = []
    private(set) var groups: [Group] = []
    /// The indices of the component rows of Y, U and V, or of R, G and B. Grey formats have index 0 three times.
    private(set) var componentRows: [Int] = []
    private(set) var rowCount = 0

    /// - Parameter padded: the number of output pixels in a row, rounded up to a multiple of four. The table entries of
    ///   the additional pixels are 0.
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
            blended.reset(count: count + 16)
            let rows = (0..<down.count).map { Self.rowPair(down, output: $0, shift: any.shiftY) }
            planes.append(Plane(index: index, sampleStart: start, sampleCount: count, rows: rows, blended: blended))
        }
        for component in used {
            componentRows.append(row(of: component, across: across, padded: padded) + component.offset % component.step)
        }
        if geometry.format.isGray { componentRows = [0, 0, 0] }
    }

    /// Returns the index of the first component row of the component's group. Adds the group if it does not exist yet.
    private mutating func row(of component: PixelComponent, across: AxisSampling, padded: Int) -> Int {
        guard let plane = planes.first(where: { $0.index == component.plane }) else { return 0 }
        if let group = groups.first(where: { $0.blended === plane.blended && $0.step == component.step }) {
            return group.firstRow
        }
        let group = Group(blended: plane.blended, step: component.step, firstRow: rowCount)
        group.index.reset(count: padded)
        group.weights.reset(count: padded)
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
        // A weight below 16384 has 14 bits. `RowKernels.blend` splits it into two halves of seven bits.
        return RowPair(first: tap.first, second: second, weight: Int16(min((tap.weight * 16384).rounded(), 16383)))
    }
}

/// A buffer that grows if necessary and never shrinks. Repeated use with the same size needs no allocation.
final class GrowingStorage<Element: BitwiseCopyable & Numeric> {
    private(set) var base: UnsafeMutablePointer<Element>
    private var capacity: Int

    init() {
        capacity = 16
        base = UnsafeMutablePointer.allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    /// Sets the first `count` elements to zero. The old content is lost.
    func reset(count: Int) {
        if count > capacity {
            base.deallocate()
            capacity = count
            base = UnsafeMutablePointer.allocate(capacity: capacity)
        }
        base.initialize(repeating: 0, count: count)
    }
}
