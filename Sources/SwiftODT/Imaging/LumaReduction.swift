extension LumaPlane {
    /// Returns a reduced grey copy of a frame. Each grey level is the mean of a square block of frame pixels.
    ///
    /// The side of the blocks is the smallest integer for which no side of the plane exceeds `maximumSide`. The blocks
    /// of the last column or row can be smaller. ``scaleX`` and ``scaleY`` are exact for the whole plane.
    ///
    /// The function reads each byte of the luma plane or of the RGB planes at most once.
    ///
    /// - Parameter aboutToRead: called before each row of blocks is read, with the end address of these frame rows. A
    ///   caller that also copies the frame can copy the rows in this call. The reduction then finds them in the
    ///   processor's cache.
    package static func reduce(
        _ frame: Frame, maximumSide: Int = 320, aboutToRead: ((UnsafeRawPointer) -> Void)? = nil
    ) -> LumaPlane {
        let side = max(1, maximumSide)
        let factor = (max(frame.width, frame.height) + side - 1) / side
        let width = (frame.width + factor - 1) / factor
        let height = (frame.height + factor - 1) / factor
        let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: width * height)
        if frame.format.depth.bytes > 1 {
            BlockMean<WordSums>(frame, factor: factor, into: pixels).run(aboutToRead)
        } else if BytePairSums.fits(frame, factor: factor) {
            BlockMean<BytePairSums>(frame, factor: factor, into: pixels).run(aboutToRead)
        } else {
            BlockMean<ByteSums>(frame, factor: factor, into: pixels).run(aboutToRead)
        }
        return LumaPlane(
            adopting: pixels, width: width, height: height, scaleX: Double(factor), scaleY: Double(factor),
            time: frame.time)
    }
}

/// Averages square blocks of the samples of a frame.
///
/// First, the rows of a block are added sample by sample. The compiler can vectorise this pass, because it ignores to
/// which component a sample belongs. Then, the sums are separated by component.
private struct BlockMean<Sums: RowSums> {
    struct Part {
        let component: PixelComponent
        let weight: Float
    }

    let frame: Frame
    let factor: Int
    let into: UnsafeMutableBufferPointer<UInt8>
    let parts: [Part]
    /// This value is subtracted from each mean, so that black has the grey level 0. The value is 0 for full-range
    /// samples.
    let floor: Float
    /// `nil` for standard dynamic range.
    let tone: ToneMap?
    private let headroom: Int

    init(_ frame: Frame, factor: Int, into: UnsafeMutableBufferPointer<UInt8>) {
        self.frame = frame
        self.factor = factor
        self.into = into
        tone = ToneMap.of(frame.colorSpace.transfer)
        let depth = frame.format.depth
        headroom = depth.headroom
        let components = frame.format.components
        let fullRange = !frame.format.isYUV || frame.colorSpace.fullRange
        // If a sample becomes brighter by one 8-bit grey level, its sum increases by this value.
        let unit = depth.bytes == 1 ? 1 : depth.unitOf14Bits(fullRange: fullRange)
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
        let samples = ((frame.width - 1) * step + reach + 1) / Sums.samplesAtATime
        let width = (frame.width + factor - 1) / factor
        let skip = (factor + Sums.maximumRows - 1) / Sums.maximumRows
        // A pass reads one plane. Components in different planes need separate sums.
        let planes = parts.allSatisfy { $0.component.plane == component.plane } ? 1 : parts.count
        withUnsafeTemporaryAllocation(of: Sums.Sum.self, capacity: samples * planes) { sums in
            guard let sum = sums.baseAddress, let target = into.baseAddress else { return }
            var out = target
            var top = 0
            while top < frame.height {
                let bottom = min(top + factor, frame.height)
                let rows = (bottom - top + skip - 1) / skip
                for number in 0..<planes {
                    let plane = frame.plane(parts[number].component.plane)
                    aboutToRead?(plane.end(of: top..<bottom))
                    Sums.add(
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

    /// Converts the sums of a row of blocks to grey levels, for formats with a luma or grey component.
    private func grey(
        _ sum: UnsafeMutablePointer<Sums.Sum>, step: Int, rows: Int, to out: UnsafeMutablePointer<UInt8>
    ) {
        let whole = frame.width / factor
        let rest = frame.width - whole * factor
        let gain = parts[0].weight / Float(rows * factor)
        let last = parts[0].weight / Float(rows * max(rest, 1))
        // The number of sums per row of a block, and per row of the narrower last block.
        let (across, over) = (factor / Sums.samplesAtATime, rest / Sums.samplesAtATime)
        if Sums.Sum.self == UInt16.self && tone == nil {
            let level = FixedPointLevel(gain: gain, floor: floor)
            // The most common factors are literals, because the compiler can vectorise a loop with a constant factor.
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
        _ sum: UnsafeMutablePointer<Sums.Sum>, step: Int, factor: Int, count: Int, _ level: some LevelOfSum,
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

    /// Converts the sums of a row of blocks to grey levels, for RGB formats.
    ///
    /// - Parameter apart: the number of sums between the starts of two consecutive planes in `sum`. 0 if all components
    ///   are in one plane.
    private func color(
        _ sum: UnsafeMutablePointer<Sums.Sum>, apart: Int, step: Int, rows: Int, to out: UnsafeMutablePointer<UInt8>
    ) {
        let whole = frame.width / factor
        let rest = frame.width - whole * factor
        let sums = ColorSums(
            red: sum + parts[0].component.offset, green: sum + apart + parts[1].component.offset,
            blue: sum + 2 * apart + parts[2].component.offset)
        let level = level(of: rows * factor)
        // The most common values of `step` are literals, because the innermost loop then needs no multiplication.
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
        let red: UnsafeMutablePointer<Sums.Sum>
        let green: UnsafeMutablePointer<Sums.Sum>
        let blue: UnsafeMutablePointer<Sums.Sum>

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
