extension LumaPlane {
    /// Makes the small grey copy of a frame: each sample is the mean of a square block of the frame's pixels.
    ///
    /// The block's side is the same whole number across and down, the smallest with which neither side of the plane exceeds
    /// `maximumSide`; a frame that is no larger keeps its size. A width or height that is no multiple leaves narrower
    /// blocks at the right and the bottom, so that ``scaleX`` and ``scaleY`` are exact everywhere.
    ///
    /// Reads every byte of the luma (or RGB) plane once; 1080p costs some tenths of a millisecond.
    public static func reduce(_ frame: Frame, maximumSide: Int = 320) -> LumaPlane {
        let side = max(1, maximumSide)
        let factor = (max(frame.width, frame.height) + side - 1) / side
        let width = (frame.width + factor - 1) / factor
        let height = (frame.height + factor - 1) / factor
        let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: width * height)
        let components = frame.format.components
        if frame.format.isRGB {
            let weights = ColorSpace.standardDefinition.lumaWeights
            BlockMean(
                frame: frame, factor: factor, into: pixels,
                parts: [
                    .init(component: components.first, weight: weights.red),
                    .init(component: components.second, weight: 1 - weights.red - weights.blue),
                    .init(component: components.third, weight: weights.blue),
                ], floor: 0
            ).run()
        } else if frame.format.isGray || frame.colorSpace.fullRange {
            BlockMean(
                frame: frame, factor: factor, into: pixels,
                parts: [.init(component: components.first, weight: 1)], floor: 0
            ).run()
        } else {
            BlockMean(
                frame: frame, factor: factor, into: pixels,
                parts: [.init(component: components.first, weight: 255 / 219)], floor: 16 * 255 / 219
            ).run()
        }
        return LumaPlane(
            adopting: pixels, width: width, height: height, scaleX: Double(factor), scaleY: Double(factor),
            time: frame.time)
    }
}

/// Averages square blocks of a frame's samples.
///
/// Rows of a block are first added up byte by byte, whatever the bytes mean, which is one straight pass that the compiler
/// turns into vector instructions; only the sums are then looked at by component.
private struct BlockMean {
    /// A component's share in the grey level.
    struct Part {
        let component: PixelComponent
        let weight: Float
    }

    let frame: Frame
    let factor: Int
    let into: UnsafeMutableBufferPointer<UInt8>
    let parts: [Part]
    /// Taken off each mean, to bring black to 0.
    let floor: Float

    /// Rows of a block that are added up: their sum has to stay within 16 bits. Taller blocks are sampled evenly.
    private static var mostRows: Int { 256 }

    func run() {
        guard let component = parts.first?.component else { return }
        let plane = frame.plane(component.plane)
        let step = component.step
        let reach = parts.reduce(0) { max($0, $1.component.offset) }
        let bytes = (frame.width - 1) * step + reach + 1
        let width = (frame.width + factor - 1) / factor
        let skip = (factor + Self.mostRows - 1) / Self.mostRows
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: bytes) { sums in
            guard let sum = sums.baseAddress, let target = into.baseAddress else { return }
            var out = target
            var top = 0
            while top < frame.height {
                let bottom = min(top + factor, frame.height)
                var rows = 0
                for y in stride(from: top, to: bottom, by: skip) {
                    let row = UnsafeRawPointer(plane.base + y * plane.stride).assumingMemoryBound(to: UInt8.self)
                    if rows == 0 { Self.set(sum, row, bytes) } else { Self.add(sum, row, bytes) }
                    rows += 1
                }
                if parts.count == 1 {
                    grey(sum + component.offset, step: step, rows: rows, to: out)
                } else {
                    color(sum, step: step, rows: rows, to: out)
                }
                out += width
                top = bottom
            }
        }
    }

    private static func set(_ sum: UnsafeMutablePointer<UInt16>, _ row: UnsafePointer<UInt8>, _ count: Int) {
        var i = 0
        while i < count {
            sum[i] = UInt16(truncatingIfNeeded: row[i])
            i &+= 1
        }
    }

    private static func add(_ sum: UnsafeMutablePointer<UInt16>, _ row: UnsafePointer<UInt8>, _ count: Int) {
        var i = 0
        while i < count {
            sum[i] &+= UInt16(truncatingIfNeeded: row[i])
            i &+= 1
        }
    }

    /// Turns a row of sums into grey levels where one component says it all.
    private func grey(_ sum: UnsafeMutablePointer<UInt16>, step: Int, rows: Int, to out: UnsafeMutablePointer<UInt8>) {
        let whole = frame.width / factor
        let level = FixedPointLevel(gain: parts[0].weight / Float(rows * factor), floor: floor)
        // The usual factors as literals: the compiler then turns the sums into vector instructions.
        switch (factor, step) {
        case (1, 1): Self.grey(sum, step: 1, factor: 1, count: whole, level, out)
        case (2, 1): Self.grey(sum, step: 1, factor: 2, count: whole, level, out)
        case (3, 1): Self.grey(sum, step: 1, factor: 3, count: whole, level, out)
        case (4, 1): Self.grey(sum, step: 1, factor: 4, count: whole, level, out)
        case (6, 1): Self.grey(sum, step: 1, factor: 6, count: whole, level, out)
        default: Self.grey(sum, step: step, factor: factor, count: whole, level, out)
        }
        let rest = frame.width - whole * factor
        if rest > 0 {
            let level = FixedPointLevel(gain: parts[0].weight / Float(rows * rest), floor: floor)
            Self.grey(sum + whole * factor * step, step: step, factor: rest, count: 1, level, out + whole)
        }
    }

    @inline(__always)
    private static func grey(
        _ sum: UnsafeMutablePointer<UInt16>, step: Int, factor: Int, count: Int, _ level: FixedPointLevel,
        _ out: UnsafeMutablePointer<UInt8>
    ) {
        var i = 0
        while i < count {
            var total: Int32 = 0
            var k = 0
            while k < factor {
                total &+= Int32(truncatingIfNeeded: sum[(i &* factor &+ k) &* step])
                k &+= 1
            }
            out[i] = level.of(total)
            i &+= 1
        }
    }

    /// Turns a row of sums into grey levels, weighing red, green and blue.
    private func color(_ sum: UnsafeMutablePointer<UInt16>, step: Int, rows: Int, to out: UnsafeMutablePointer<UInt8>) {
        let (red, green, blue) = (parts[0], parts[1], parts[2])
        let (first, second, third) = (
            sum + red.component.offset, sum + green.component.offset, sum + blue.component.offset
        )
        var scale = 1 / Float(rows * factor)
        var x = 0
        var target = out
        while x < frame.width {
            let end = min(x + factor, frame.width)
            if end - x < factor { scale = 1 / Float(rows * (end - x)) }
            var totals: (UInt32, UInt32, UInt32) = (0, 0, 0)
            while x < end {
                totals.0 &+= UInt32(truncatingIfNeeded: first[x &* step])
                totals.1 &+= UInt32(truncatingIfNeeded: second[x &* step])
                totals.2 &+= UInt32(truncatingIfNeeded: third[x &* step])
                x &+= 1
            }
            let level = Float(totals.0) * red.weight + Float(totals.1) * green.weight + Float(totals.2) * blue.weight
            target.pointee = Self.level(level * scale - floor)
            target += 1
        }
    }

    private static func level(_ value: Float) -> UInt8 {
        UInt8(truncatingIfNeeded: Int32(min(max(value + 0.5, 0), 255)))
    }
}

/// The grey level of a sum of samples, in whole numbers: 20 bits behind the point, good to a thousandth of a level.
private struct FixedPointLevel {
    private let gain: Int32
    private let offset: Int32

    init(gain: Float, floor: Float) {
        self.gain = Int32((gain * 1_048_576).rounded())
        offset = Int32(((0.5 - floor) * 1_048_576).rounded())
    }

    /// The product stays within 31 bits: a sum's mean is at most 255, and white at most 297 after the range is widened.
    func of(_ total: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max((total &* gain &+ offset) &>> 20, 0), 255))
    }
}
