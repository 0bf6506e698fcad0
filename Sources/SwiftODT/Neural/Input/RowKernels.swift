/// The inner loops of preprocessing, one row at a time. All work on plain pointers, four to sixteen samples at once.
///
/// Numbers: a blended sample is 64 times a grey level in 16 bits; horizontal weights are in 1/16384. The sum is exact in 32 bits.
enum RowKernels {
    /// A vertical blend's unit.
    static let blendedOne: Float = 64
    /// The sum of two horizontal weights.
    static let weightOne: Float = 16384

    /// Blends two rows of bytes: `first + (second - first) * weight`, the weight in 1/16384.
    ///
    /// Keeps to 16-bit lanes by taking the weight's upper and lower seven bits one after the other.
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
            target[i] = (sample &<< 6) &+ ((difference &* upper) &>> 1) &+ ((difference &* lower) &>> 8)
            i &+= 1
        }
    }

    /// Interpolates neighbouring samples of a blended row: `row[index] * weights.0 + row[index + step] * weights.1`.
    ///
    /// - Parameter count: a multiple of four; index, weights and target have room for as many.
    static func resample(
        _ row: UnsafePointer<Int16>, step: Int, index: UnsafePointer<Int32>, weights: UnsafePointer<Int16>, count: Int,
        into target: UnsafeMutablePointer<Float>
    ) {
        var x = 0
        while x < count {
            let pairs =
                step == 1
                ? neighbours(row, index + x) : samples(row, index + x, step: step)
            let products =
                SIMD8<Int32>(truncatingIfNeeded: pairs)
                &* SIMD8<Int32>(truncatingIfNeeded: load(weights + 2 &* x, as: SIMD8<Int16>.self))
            store(SIMD4<Float>(products.evenHalf &+ products.oddHalf), at: target + x)
            x &+= 4
        }
    }

    /// Four samples, each with the next one, where the two lie side by side.
    @inline(__always)
    private static func neighbours(_ row: UnsafePointer<Int16>, _ index: UnsafePointer<Int32>) -> SIMD8<Int16> {
        unsafeBitCast(
            SIMD4<Int32>(
                load(row + Int(index[0]), as: Int32.self), load(row + Int(index[1]), as: Int32.self),
                load(row + Int(index[2]), as: Int32.self), load(row + Int(index[3]), as: Int32.self)),
            to: SIMD8<Int16>.self)
    }

    /// Four samples, each with the next one of its component, where other components lie in between.
    @inline(__always)
    private static func samples(
        _ row: UnsafePointer<Int16>, _ index: UnsafePointer<Int32>, step: Int
    ) -> SIMD8<Int16> {
        let (a, b) = (row + Int(index[0]), row + Int(index[1]))
        let (c, d) = (row + Int(index[2]), row + Int(index[3]))
        return SIMD8(a[0], a[step], b[0], b[step], c[0], c[step], d[0], d[step])
    }

    /// Turns luma and two chroma rows into three channels, clamped to the colours there are.
    /// - Parameter count: a multiple of four.
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

    /// `factor * source + constant`, for components that are channels already.
    /// - Parameter count: a multiple of four.
    static func scale(
        _ source: UnsafePointer<Float>, count: Int, factor: Float, constant: Float,
        into target: UnsafeMutablePointer<Float>
    ) {
        var x = 0
        while x < count {
            store(factor * load(source + x, as: SIMD4<Float>.self) + constant, at: target + x)
            x &+= 4
        }
    }

    /// Rounds to bytes what lies within 0...255.
    static func round(_ source: UnsafePointer<Float>, count: Int, into target: UnsafeMutablePointer<UInt8>) {
        var i = 0
        while i < count {
            target[i] = byte(source[i])
            i &+= 1
        }
    }

    /// Stores rows as columns.
    @inline(__always)
    static func turn<Element: BitwiseCopyable>(
        _ source: UnsafePointer<Float>, stride: Int, rows: Int, columns: Int,
        into target: UnsafeMutablePointer<Element>, targetStride: Int, _ value: (Float) -> Element
    ) {
        for x in 0..<columns {
            let column = target + x &* targetStride
            var y = 0
            while y < rows {
                column[y] = value(source[y &* stride &+ x])
                y &+= 1
            }
        }
    }

    /// Rounds 0...255 to a byte: beyond 2²³ a float's last bit stands for one.
    @inline(__always)
    static func byte(_ value: Float) -> UInt8 { UInt8(truncatingIfNeeded: (value + 8_388_608).bitPattern) }

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
