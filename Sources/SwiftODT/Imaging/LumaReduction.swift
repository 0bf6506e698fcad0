extension LumaPlane {
    /// Makes the small grey copy of a frame: each sample is the mean of a square block of the frame's pixels.
    ///
    /// The block's side is the same whole number across and down, the smallest with which neither side of the plane exceeds
    /// `maximumSide`; a frame that is no larger keeps its size. A width or height that is no multiple leaves narrower
    /// blocks at the right and the bottom, so that ``scaleX`` and ``scaleY`` are exact everywhere.
    ///
    /// Reads every byte of the luma (or RGB) plane once; 1080p costs some tenths of a millisecond.
    ///
    /// - Parameter aboutToRead: told of each band of rows, before they are read, where it ends: whoever reads all of the frame as
    ///   well does it then, while it is on its way through the processor's caches.
    public static func reduce(
        _ frame: Frame, maximumSide: Int = 320, aboutToRead: ((UnsafeRawPointer) -> Void)? = nil
    ) -> LumaPlane {
        let side = max(1, maximumSide)
        let factor = (max(frame.width, frame.height) + side - 1) / side
        let width = (frame.width + factor - 1) / factor
        let height = (frame.height + factor - 1) / factor
        let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: width * height)
        if frame.format.depth.bytes > 1 {
            BlockMean<Word>(frame, factor: factor, into: pixels).run(aboutToRead)
        } else if BytePair.fits(frame, factor: factor) {
            BlockMean<BytePair>(frame, factor: factor, into: pixels).run(aboutToRead)
        } else {
            BlockMean<Byte>(frame, factor: factor, into: pixels).run(aboutToRead)
        }
        return LumaPlane(
            adopting: pixels, width: width, height: height, scaleX: Double(factor), scaleY: Double(factor),
            time: frame.time)
    }
}

/// What is read of a row at a time, and what many of them are added up in.
private protocol SummedSample {
    associatedtype Sum: FixedWidthInteger, UnsignedInteger

    /// How many of a component's samples it is.
    static var count: Int { get }

    /// Rows of a block that are added up: a sum of their samples has to fit, and that of a block into 32 bits. Taller blocks are
    /// sampled evenly.
    static var mostRows: Int { get }

    /// What grey level 1 adds to a sum; in full range, for the white of wider samples is a little more than 255.
    static func unit(_ depth: SampleDepth, fullRange: Bool) -> Float

    /// Adds up rows, sample by sample: the first of them begins at `row`, each `stride` bytes after the one before.
    static func sum(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<Sum>)
}

private enum Byte: SummedSample {
    static var count: Int { 1 }
    static var mostRows: Int { 256 }
    static func unit(_ depth: SampleDepth, fullRange: Bool) -> Float { 1 }

    static func sum(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<UInt16>
    ) {
        addUp(row, stride: stride, rows: rows, into: sums) { (stored: UInt8) in UInt16(truncatingIfNeeded: stored) }
    }
}

/// Two bytes of one component side by side, which lie in one block and need no sums of their own: half of the work.
private enum BytePair: SummedSample {
    static var count: Int { 2 }
    static var mostRows: Int { 128 }
    static func unit(_ depth: SampleDepth, fullRange: Bool) -> Float { 1 }

    static func sum(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<UInt16>
    ) {
        let last = sums.count - Vector.scalarCount
        guard last >= 0 else {
            return addUp(row, stride: stride, rows: rows, into: sums) { (pair: UInt16) in
                (pair & 0xFF) &+ (pair &>> 8)
            }
        }
        var place = 0
        while place < last {
            sum(row, stride: stride, rows: rows, into: sums, at: place)
            place &+= Vector.scalarCount
        }
        sum(row, stride: stride, rows: rows, into: sums, at: last)
    }

    private typealias Vector = SIMD16<UInt16>

    /// All rows of a few samples, whose sums stay in registers. A pair is `low + 256 * high`: its sums less 255 times those of
    /// the high bytes are what is asked for. With no more rows than are allowed that much fits.
    @inline(__always)
    private static func sum(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, into sums: UnsafeMutableBufferPointer<UInt16>, at place: Int
    ) {
        guard let target = UnsafeMutableRawPointer(sums.baseAddress) else { return }
        var (pairs, highs) = (Vector.zero, Vector.zero)
        var from = row + 2 * place
        for _ in 0..<rows {
            let stored = from.loadUnaligned(as: Vector.self)
            pairs &+= stored
            highs &+= stored &>> 8
            from += stride
        }
        target.storeBytes(of: pairs &- highs &* 255, toByteOffset: 2 * place, as: Vector.self)
    }

    /// Whether blocks begin and end between pairs, and all rows of them are added up.
    static func fits(_ frame: Frame, factor: Int) -> Bool {
        !frame.format.isRGB && frame.format.components.first.step == 1 && factor.isMultiple(of: 2)
            && frame.width.isMultiple(of: 2) && factor <= mostRows
    }
}

/// 14 bits of the sample count, wherever they lie: 64 times the grey level.
private enum Word: SummedSample {
    static var count: Int { 1 }
    static var mostRows: Int { 64 }
    static func unit(_ depth: SampleDepth, fullRange: Bool) -> Float { depth.unitOf14Bits(fullRange: fullRange) }

    static func sum(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<UInt32>
    ) {
        let headroom = UInt16(truncatingIfNeeded: headroom)
        addUp(row, stride: stride, rows: rows, into: sums) { (stored: UInt16) in
            UInt32(truncatingIfNeeded: (stored &<< headroom) &>> 2)
        }
    }
}

/// Row after row, so that the compiler turns each into vector instructions.
@inline(__always)
private func addUp<Stored: BitwiseCopyable, Sum: FixedWidthInteger>(
    _ row: UnsafeRawPointer, stride: Int, rows: Int, into sums: UnsafeMutableBufferPointer<Sum>,
    summand: (Stored) -> Sum
) {
    guard let target = sums.baseAddress else { return }
    for number in 0..<rows {
        let row = row + number * stride
        var i = 0
        if number == 0 {
            while i < sums.count {
                target[i] = summand(row.loadUnaligned(fromByteOffset: i &* MemoryLayout<Stored>.size, as: Stored.self))
                i &+= 1
            }
        } else {
            while i < sums.count {
                target[i] &+= summand(
                    row.loadUnaligned(fromByteOffset: i &* MemoryLayout<Stored>.size, as: Stored.self))
                i &+= 1
            }
        }
    }
}

/// Averages square blocks of a frame's samples.
///
/// Rows of a block are first added up sample by sample, whatever the samples mean, which is one straight pass that the compiler
/// turns into vector instructions; only the sums are then looked at by component.
private struct BlockMean<Sample: SummedSample> {
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
    /// For HDR.
    let tone: ToneMap?
    private let headroom: Int

    init(_ frame: Frame, factor: Int, into: UnsafeMutableBufferPointer<UInt8>) {
        self.frame = frame
        self.factor = factor
        self.into = into
        tone = ToneMap.of(frame.colorSpace.transfer)
        headroom = frame.format.depth.headroom
        let components = frame.format.components
        let fullRange = !frame.format.isYUV || frame.colorSpace.fullRange
        let unit = Sample.unit(frame.format.depth, fullRange: fullRange)
        floor = fullRange ? 0 : 16 * 255 / 219
        if frame.format.isRGB {
            let weights = ColorSpace.standardDefinition.lumaWeights
            parts = [
                Part(component: components.first, weight: weights.red / unit),
                Part(component: components.second, weight: (1 - weights.red - weights.blue) / unit),
                Part(component: components.third, weight: weights.blue / unit),
            ]
        } else {
            parts = [Part(component: components.first, weight: (fullRange ? 1 : 255 / 219) / unit)]
        }
    }

    func run(_ aboutToRead: ((UnsafeRawPointer) -> Void)?) {
        guard let component = parts.first?.component else { return }
        let step = component.step
        let reach = parts.reduce(0) { max($0, $1.component.offset) }
        let samples = ((frame.width - 1) * step + reach + 1) / Sample.count
        let width = (frame.width + factor - 1) / factor
        let skip = (factor + Sample.mostRows - 1) / Sample.mostRows
        // Components that lie in a plane of their own have sums of their own.
        let planes = parts.allSatisfy { $0.component.plane == component.plane } ? 1 : parts.count
        withUnsafeTemporaryAllocation(of: Sample.Sum.self, capacity: samples * planes) { sums in
            guard let sum = sums.baseAddress, let target = into.baseAddress else { return }
            var out = target
            var top = 0
            while top < frame.height {
                let bottom = min(top + factor, frame.height)
                let rows = (bottom - top + skip - 1) / skip
                for number in 0..<planes {
                    let plane = frame.plane(parts[number].component.plane)
                    aboutToRead?(plane.end(of: top..<bottom))
                    Sample.sum(
                        plane.base + top * plane.stride, stride: skip * plane.stride, rows: rows, headroom: headroom,
                        into: UnsafeMutableBufferPointer(start: sum + number * samples, count: samples))
                }
                if parts.count == 1 {
                    grey(sum + component.offset, step: step, rows: rows, to: out)
                } else {
                    color(sum, apart: planes == 1 ? 0 : samples, step: step, rows: rows, to: out)
                }
                out += width
                top = bottom
            }
        }
    }

    /// Turns a row of sums into grey levels where one component says it all.
    private func grey(
        _ sum: UnsafeMutablePointer<Sample.Sum>, step: Int, rows: Int, to out: UnsafeMutablePointer<UInt8>
    ) {
        let whole = frame.width / factor
        let rest = frame.width - whole * factor
        let gain = parts[0].weight / Float(rows * factor)
        let last = parts[0].weight / Float(rows * max(rest, 1))
        // Sums a block, and behind the whole ones.
        let (across, over) = (factor / Sample.count, rest / Sample.count)
        if Sample.Sum.self == UInt16.self && tone == nil {
            let level = FixedPointLevel(gain: gain, floor: floor)
            // The usual factors as literals: the compiler then turns the sums into vector instructions.
            switch (across, step) {
            case (1, 1): Self.grey(sum, step: 1, factor: 1, count: whole, level, out)
            case (2, 1): Self.grey(sum, step: 1, factor: 2, count: whole, level, out)
            case (3, 1): Self.grey(sum, step: 1, factor: 3, count: whole, level, out)
            case (4, 1): Self.grey(sum, step: 1, factor: 4, count: whole, level, out)
            case (6, 1): Self.grey(sum, step: 1, factor: 6, count: whole, level, out)
            default: Self.grey(sum, step: step, factor: across, count: whole, level, out)
            }
            if rest > 0 {
                let level = FixedPointLevel(gain: last, floor: floor)
                Self.grey(sum + whole * across * step, step: step, factor: over, count: 1, level, out + whole)
            }
        } else {
            let level = FloatLevel(gain: gain, floor: floor, tone: tone)
            Self.grey(sum, step: step, factor: across, count: whole, level, out)
            if rest > 0 {
                let level = FloatLevel(gain: last, floor: floor, tone: tone)
                Self.grey(sum + whole * across * step, step: step, factor: over, count: 1, level, out + whole)
            }
        }
    }

    @inline(__always)
    private static func grey(
        _ sum: UnsafeMutablePointer<Sample.Sum>, step: Int, factor: Int, count: Int, _ level: some LevelOfSum,
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
    /// - Parameter apart: sums from one component's plane to the next one's; 0 where they share one.
    private func color(
        _ sum: UnsafeMutablePointer<Sample.Sum>, apart: Int, step: Int, rows: Int, to out: UnsafeMutablePointer<UInt8>
    ) {
        let whole = frame.width / factor
        let rest = frame.width - whole * factor
        let sums = ColorSums(
            red: sum + parts[0].component.offset, green: sum + apart + parts[1].component.offset,
            blue: sum + 2 * apart + parts[2].component.offset)
        let level = level(of: rows * factor)
        // The usual steps as literals: the compiler then has no products left in the innermost loop.
        switch step {
        case 4: Self.color(sums, step: 4, factor: factor, count: whole, level, out)
        case 3: Self.color(sums, step: 3, factor: factor, count: whole, level, out)
        default: Self.color(sums, step: step, factor: factor, count: whole, level, out)
        }
        if rest > 0 {
            let last = sums.advanced(by: whole * factor * step)
            Self.color(last, step: step, factor: rest, count: 1, self.level(of: rows * rest), out + whole)
        }
    }

    private func level(of count: Int) -> ColorLevel {
        ColorLevel(
            red: parts[0].weight, green: parts[1].weight, blue: parts[2].weight, scale: 1 / Float(count), floor: floor,
            tone: tone)
    }

    private struct ColorSums {
        let red: UnsafeMutablePointer<Sample.Sum>
        let green: UnsafeMutablePointer<Sample.Sum>
        let blue: UnsafeMutablePointer<Sample.Sum>

        func advanced(by count: Int) -> ColorSums {
            ColorSums(red: red + count, green: green + count, blue: blue + count)
        }
    }

    @inline(__always)
    private static func color(
        _ sums: ColorSums, step: Int, factor: Int, count: Int, _ level: ColorLevel, _ out: UnsafeMutablePointer<UInt8>
    ) {
        var i = 0
        var at = 0
        while i < count {
            var totals: (UInt32, UInt32, UInt32) = (0, 0, 0)
            var k = 0
            while k < factor {
                totals.0 &+= UInt32(truncatingIfNeeded: sums.red[at])
                totals.1 &+= UInt32(truncatingIfNeeded: sums.green[at])
                totals.2 &+= UInt32(truncatingIfNeeded: sums.blue[at])
                at &+= step
                k &+= 1
            }
            out[i] = level.of(totals)
            i &+= 1
        }
    }
}

/// What the sums of a block's red, green and blue are as a grey level.
private struct ColorLevel {
    let red: Float
    let green: Float
    let blue: Float
    let scale: Float
    let floor: Float
    let tone: ToneMap?

    @inline(__always)
    func of(_ totals: (UInt32, UInt32, UInt32)) -> UInt8 {
        let level = Float(totals.0) * red + Float(totals.1) * green + Float(totals.2) * blue
        return FloatLevel.rounded(level * scale - floor, tone: tone)
    }
}

/// What the sum of a block's samples is as a grey level.
private protocol LevelOfSum {
    func of(_ total: Int32) -> UInt8
}

/// In floats, and through the tone map of HDR.
private struct FloatLevel: LevelOfSum {
    let gain: Float
    let floor: Float
    let tone: ToneMap?

    func of(_ total: Int32) -> UInt8 { Self.rounded(Float(total) * gain - floor, tone: tone) }

    @inline(__always)
    static func rounded(_ value: Float, tone: ToneMap?) -> UInt8 {
        let level = tone.map { $0.level(value) } ?? value
        return UInt8(truncatingIfNeeded: Int32(min(max(level + 0.5, 0), 255)))
    }
}

/// The grey level of a sum of samples, in whole numbers: 20 bits behind the point, good to a thousandth of a level.
private struct FixedPointLevel: LevelOfSum {
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
