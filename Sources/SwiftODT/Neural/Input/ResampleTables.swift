/// Which samples every output is interpolated from, worked out once for a geometry.
struct ResampleTables {
    /// Two source rows of a plane and the weight of the second in 1/16384.
    struct RowPair {
        let first: Int
        let second: Int
        let weight: Int16
    }

    /// The part of a plane that matters, and what its blended rows are made of.
    struct Plane {
        let index: Int
        /// The bytes of a row that the region covers.
        let byteStart: Int
        let byteCount: Int
        /// One entry an output row.
        let rows: [RowPair]
        /// Where a blended row goes; a little longer, for the neighbour of the last sample, whose weight is 0.
        let blended: GrowingStorage<Int16>
    }

    /// A component's outputs within its plane's blended row.
    struct Component {
        let blended: GrowingStorage<Int16>
        let step: Int
        let index = GrowingStorage<Int32>()
        let weights = GrowingStorage<Int16>()
    }

    private(set) var planes: [Plane] = []
    /// Y, U, V or R, G, B; one only for grey.
    private(set) var components: [Component] = []

    /// - Parameter padded: the outputs of a row, rounded up to whole vectors; those beyond the end are 0.
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
            blended.reset(count: count + 8, to: 0)
            let rows = (0..<down.count).map { Self.rowPair(down, output: $0, shift: any.shiftY) }
            planes.append(Plane(index: index, byteStart: start, byteCount: count, rows: rows, blended: blended))
        }
        for component in used {
            guard let plane = planes.first(where: { $0.index == component.plane }) else { continue }
            let taps = Component(blended: plane.blended, step: component.step)
            taps.index.reset(count: padded, to: 0)
            taps.weights.reset(count: 2 * padded, to: 0)
            for output in 0..<across.count {
                let tap = across.tap(output, shift: component.shiftX)
                let second = Int16((tap.weight * Double(RowKernels.weightOne)).rounded())
                taps.index.base[output] = Int32(tap.first * component.step + component.offset - plane.byteStart)
                taps.weights.base[2 * output] = Int16(RowKernels.weightOne) - second
                taps.weights.base[2 * output + 1] = second
            }
            components.append(taps)
        }
    }

    private static func rowPair(_ sampling: AxisSampling, output: Int, shift: Int) -> RowPair {
        let tap = sampling.tap(output, shift: shift)
        let second = min(tap.first + 1, sampling.samples(shift: shift).upperBound)
        // Less than 16384, so that both halves of the weight have seven bits.
        return RowPair(first: tap.first, second: second, weight: Int16(min((tap.weight * 16384).rounded(), 16383)))
    }
}
