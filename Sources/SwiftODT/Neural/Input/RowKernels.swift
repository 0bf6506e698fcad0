/// The inner loops of preprocessing. Each function processes one row.
///
/// The first step blends two source rows to 16-bit integers, in which about 64 units correspond to one 8-bit level for
/// every bit depth. The values after this step are floats.
enum RowKernels {
    /// Returns how many units of a blended sample correspond to one 8-bit level.
    static func blendedOne(_ depth: SampleDepth, fullRange: Bool) -> Float {
        depth.bytes == 1 ? 64 : depth.unitOf14Bits(fullRange: fullRange)
    }

    /// Blends two rows of bytes: `first + (second - first) * weight`. The unit of `weight` is 1/16384.
    ///
    /// The difference is multiplied by the upper and by the lower seven bits of the weight separately. All products
    /// thus fit in 16 bits. Both products are rounded down, so the sum can be -1 for a black pixel. It is limited to 0,
    /// because ``resample(_:step:index:weights:count:into:)`` reads unsigned values.
    static func blend(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, weight: Int16, count: Int,
        into target: UnsafeMutablePointer<Int16>
    ) {
        let upper = weight &>> 7
        let lower = weight & 127
        var i = 0
        while i < count {
            let sample = Int16(truncatingIfNeeded: first[i])
            let difference = Int16(truncatingIfNeeded: second[i]) &- sample
            target[i] = max((sample &<< 6) &+ ((difference &* upper) &>> 1) &+ ((difference &* lower) &>> 8), 0)
            i &+= 1
        }
    }

    /// Blends two rows of samples in 16-bit words, like ``blend(_:_:weight:count:into:)``. Each word is first shifted
    /// to 14 bits. This discards unused bits above the sample. Unused bits below the sample are kept, but change the
    /// result by less than one level of the sample.
    ///
    /// - Parameter headroom: the number of unused bits above the sample.
    static func blendWords(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, headroom: Int, weight: Int16, count: Int,
        into target: UnsafeMutablePointer<Int16>
    ) {
        let doubled = Int32(weight &<< 1)
        var i = 0
        while i < count {
            let sample = word(first, i, headroom)
            let difference = word(second, i, headroom) &- sample
            // With the upper 16 bits of the product, the compiler selects a single vector instruction.
            let product = Int32(truncatingIfNeeded: difference &<< 1) &* doubled
            target[i] = sample &+ Int16(truncatingIfNeeded: product &>> 16)
            i &+= 1
        }
    }

    @inline(__always)
    private static func word(_ row: UnsafeRawPointer, _ number: Int, _ headroom: Int) -> Int16 {
        let word = row.loadUnaligned(fromByteOffset: 2 &* number, as: UInt16.self)
        return Int16(truncatingIfNeeded: (word &<< UInt16(truncatingIfNeeded: headroom)) &>> 2)
    }

    /// Interpolates between neighbouring pixels of a blended row, for planar and interleaved components.
    ///
    /// - Parameters:
    ///   - step: the number of samples per pixel, 1 to 4.
    ///   - index: for each output pixel, the index of the first sample of the left source pixel.
    ///   - weights: for each output pixel, the weight of the right source pixel, 0 to 1.
    ///   - count: the number of output pixels, a multiple of four.
    ///   - target: ``lanes(step:)`` rows of `count` elements. Row n receives sample n of each interpolated pixel.
    static func resample(
        _ row: UnsafePointer<Int16>, step: Int, index: UnsafePointer<Int32>, weights: UnsafePointer<Float>, count: Int,
        into target: UnsafeMutablePointer<Float>
    ) {
        switch step {
        case 1:
            each4(count) { resampleSingle(row, index + $0, weights + $0, target + $0) }
        case 2:
            each4(count) { resamplePairs(row, index + $0, weights + $0, target + $0, count) }
        default:
            each4(count) { resampleQuads(row, step, index + $0, weights + $0, target + $0, count) }
        }
    }

    /// Returns the number of samples that are interpolated per pixel. Three samples are processed like four.
    static func lanes(step: Int) -> Int { step < 3 ? step : 4 }

    @inline(__always)
    private static func each4(_ count: Int, _ body: (Int) -> Void) {
        var x = 0
        while x < count {
            body(x)
            x &+= 4
        }
    }

    /// One sample per pixel. For each output pixel, one 32-bit load reads both source pixels.
    @inline(__always)
    private static func resampleSingle(
        _ row: UnsafePointer<Int16>, _ index: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>,
        _ target: UnsafeMutablePointer<Float>
    ) {
        let both = SIMD4(
            load(row + Int(index[0]), as: UInt32.self), load(row + Int(index[1]), as: UInt32.self),
            load(row + Int(index[2]), as: UInt32.self), load(row + Int(index[3]), as: UInt32.self))
        let first = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: both & 0xFFFF))
        let second = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: both &>> 16))
        store(first + (second - first) * load(weights, as: SIMD4<Float>.self), at: target)
    }

    /// Two samples per pixel. For each output pixel, one 64-bit load reads both source pixels.
    @inline(__always)
    private static func resamplePairs(
        _ row: UnsafePointer<Int16>, _ index: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>,
        _ target: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        let a = floats(row + Int(index[0]))
        let b = floats(row + Int(index[1]))
        let c = floats(row + Int(index[2]))
        let d = floats(row + Int(index[3]))
        let ab = SIMD4(lowHalf: a.lowHalf, highHalf: b.lowHalf)
        let cd = SIMD4(lowHalf: c.lowHalf, highHalf: d.lowHalf)
        let weight = load(weights, as: SIMD4<Float>.self)
        let left =
            ab + (SIMD4(lowHalf: a.highHalf, highHalf: b.highHalf) - ab) * SIMD4(weight.x, weight.x, weight.y, weight.y)
        let right =
            cd + (SIMD4(lowHalf: c.highHalf, highHalf: d.highHalf) - cd) * SIMD4(weight.z, weight.z, weight.w, weight.w)
        let all = SIMD8(lowHalf: left, highHalf: right)
        store(all.evenHalf, at: target)
        store(all.oddHalf, at: target + count)
    }

    /// Three or four samples per pixel. For each output pixel, two 64-bit loads read the two source pixels.
    @inline(__always)
    private static func resampleQuads(
        _ row: UnsafePointer<Int16>, _ step: Int, _ index: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>,
        _ target: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        let a = quad(row + Int(index[0]), step, weights[0])
        let b = quad(row + Int(index[1]), step, weights[1])
        let c = quad(row + Int(index[2]), step, weights[2])
        let d = quad(row + Int(index[3]), step, weights[3])
        let ab = SIMD8(lowHalf: a, highHalf: b)
        let cd = SIMD8(lowHalf: c, highHalf: d)
        let even = SIMD8(lowHalf: ab.evenHalf, highHalf: cd.evenHalf)
        let odd = SIMD8(lowHalf: ab.oddHalf, highHalf: cd.oddHalf)
        store(even.evenHalf, at: target)
        store(odd.evenHalf, at: target + count)
        store(even.oddHalf, at: target + 2 &* count)
        store(odd.oddHalf, at: target + 3 &* count)
    }

    @inline(__always)
    private static func quad(_ row: UnsafePointer<Int16>, _ step: Int, _ weight: Float) -> SIMD4<Float> {
        let first = floats(row)
        return first + (floats(row + step) - first) * weight
    }

    /// Loads four non-negative samples.
    @inline(__always)
    private static func floats(_ row: UnsafePointer<Int16>) -> SIMD4<Float> {
        SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: load(row, as: SIMD4<UInt16>.self)))
    }

    /// Converts a row of YUV components to RGB, and clamps the results to the transform's range. `count` must be a
    /// multiple of four.
    static func convert(
        luma: UnsafePointer<Float>, u: UnsafePointer<Float>, v: UnsafePointer<Float>, count: Int,
        transform: ColorTransform, red: UnsafeMutablePointer<Float>, green: UnsafeMutablePointer<Float>,
        blue: UnsafeMutablePointer<Float>
    ) {
        let (toRed, toGreen, toBlue) = (transform.red, transform.green, transform.blue)
        let (low, high) = (transform.low, transform.high)
        var x = 0
        while x < count {
            let yy = load(luma + x, as: SIMD4<Float>.self)
            let uu = load(u + x, as: SIMD4<Float>.self)
            let vv = load(v + x, as: SIMD4<Float>.self)
            store((toRed.x * yy + toRed.z * vv + toRed.w).limited(low.x, high.x), at: red + x)
            store(
                (toGreen.x * yy + toGreen.y * uu + toGreen.z * vv + toGreen.w).limited(low.y, high.y), at: green + x)
            store((toBlue.x * yy + toBlue.y * uu + toBlue.w).limited(low.z, high.z), at: blue + x)
            x &+= 4
        }
    }

    /// Multiplies a component by a factor, and adds `row.w`. The factor is `row.x`, `row.y` or `row.z`; the other two
    /// are 0. `count` must be a multiple of four.
    static func scale(
        _ source: UnsafePointer<Float>, count: Int, by row: SIMD4<Float>, into target: UnsafeMutablePointer<Float>
    ) {
        let factor = row.x + row.y + row.z
        each4(count) { store(factor * load(source + $0, as: SIMD4<Float>.self) + row.w, at: target + $0) }
    }

    /// Replaces each index into `levels` by the entry at this index, normalised with `mean` and `scale`. The index is
    /// rounded and clamped to the table.
    static func lookUp(
        _ numbers: UnsafeMutablePointer<Float>, in levels: UnsafeBufferPointer<Float>, count: Int, mean: Float,
        scale: Float
    ) {
        guard let table = levels.baseAddress else { return }
        let last = Float(levels.count - 1)
        var x = 0
        while x < count {
            let number = min(max(numbers[x], 0), last)
            numbers[x] = (table[Int(Int32(number + 0.5))] - mean) * scale
            x &+= 1
        }
    }

    /// Rounds values to whole numbers and limits them to a range.
    static func round(_ values: UnsafeMutablePointer<Float>, count: Int, limits: ClosedRange<Float>) {
        for index in 0..<count {
            values[index] = min(max(values[index].rounded(), limits.lowerBound), limits.upperBound)
        }
    }

    /// Copies every `step`th value of `source` to a contiguous target.
    static func pick(
        _ source: UnsafePointer<Float>, every step: Int, count: Int, into target: UnsafeMutablePointer<Float>
    ) {
        if step == 1 { return target.update(from: source, count: count) }
        var i = 0
        while step == 2 && i &+ 8 < count {
            UnsafeMutableRawPointer(target + i).storeBytes(of: everySecond(source + 2 &* i), as: SIMD8<Float>.self)
            i &+= 8
        }
        while i < count {
            target[i] = source[step &* i]
            i &+= 1
        }
    }

    /// Copies every `step`th value of `source` to a contiguous target, rounded to bytes. The values must be from 0 to
    /// 255.
    static func pick(
        _ source: UnsafePointer<Float>, every step: Int, count: Int, into target: UnsafeMutablePointer<UInt8>
    ) {
        var i = 0
        while step <= 2 && i &+ 8 < count {
            let eight = step == 1 ? load(source + i, as: SIMD8<Float>.self) : everySecond(source + 2 &* i)
            let bits = unsafeBitCast(eight + SIMD8(repeating: byteBias), to: SIMD8<UInt32>.self)
            UnsafeMutableRawPointer(target + i)
                .storeBytes(of: SIMD8<UInt8>(truncatingIfNeeded: bits), as: SIMD8<UInt8>.self)
            i &+= 8
        }
        while i < count {
            target[i] = byte(source[step &* i])
            i &+= 1
        }
    }

    /// Returns the first, third, fifth, ... of 16 values. The 16th value must exist, although it is not used.
    @inline(__always)
    private static func everySecond(_ source: UnsafePointer<Float>) -> SIMD8<Float> {
        load(source, as: SIMD16<Float>.self).evenHalf
    }

    /// Rounds a value from 0 to 255.
    @inline(__always)
    static func byte(_ value: Float) -> UInt8 { UInt8(truncatingIfNeeded: (value + byteBias).bitPattern) }

    /// 2²³. If it is added to a non-negative value below 2²³, the lowest mantissa bits of the sum are the rounded
    /// value.
    private static let byteBias: Float = 8_388_608

    @inline(__always)
    private static func load<Element, Value: BitwiseCopyable>(_ pointer: UnsafePointer<Element>, as: Value.Type)
        -> Value
    {
        UnsafeRawPointer(pointer).loadUnaligned(as: Value.self)
    }

    @inline(__always)
    private static func store(_ value: SIMD4<Float>, at pointer: UnsafeMutablePointer<Float>) {
        UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD4<Float>.self)
    }
}

extension SIMD4<Float> {
    @inline(__always)
    fileprivate func limited(_ low: Float, _ high: Float) -> Self {
        let (low, high) = (Self(repeating: low), Self(repeating: high))
        let raised = replacing(with: low, where: self .< low)
        return raised.replacing(with: high, where: raised .> high)
    }
}
