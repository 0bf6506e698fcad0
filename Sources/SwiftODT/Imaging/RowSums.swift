/// A way to sum the rows of a block sample by sample, regardless of component.
protocol RowSums {
    associatedtype Sum: FixedWidthInteger, UnsignedInteger

    /// Number of adjacent samples of one component that are added into one sum.
    static var samplesAtATime: Int { get }

    /// Maximum number of rows of a block that are summed, so that neither a sum nor the total of a block (32 bits)
    /// overflows. Taller blocks are sampled evenly.
    static var maximumRows: Int { get }

    /// Returns the amount by which one grey level raises a sum. It is not an integer for wide full-range samples, whose
    /// white does not scale exactly to 255.
    static func unit(_ depth: SampleDepth, fullRange: Bool) -> Float

    /// Adds up `rows` rows. The first one begins at `row`; each next one begins `stride` bytes later.
    static func add(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<Sum>)
}

/// Sums 8-bit samples one by one.
enum ByteSums: RowSums {
    static var samplesAtATime: Int { 1 }
    static var maximumRows: Int { 256 }
    static func unit(_ depth: SampleDepth, fullRange: Bool) -> Float { 1 }

    static func add(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<UInt16>
    ) {
        addUp(row, stride: stride, rows: rows, into: sums) { (stored: UInt8) in UInt16(truncatingIfNeeded: stored) }
    }
}

/// Sums pairs of adjacent bytes of one component. Both lie in the same block, so half as many sums are needed.
enum BytePairSums: RowSums {
    static var samplesAtATime: Int { 2 }
    static var maximumRows: Int { 128 }
    static func unit(_ depth: SampleDepth, fullRange: Bool) -> Float { 1 }

    static func add(
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

    /// Sums all rows of `Vector.scalarCount` pairs, keeping the sums in registers. A pair is loaded as
    /// `low + 256 * high`; subtracting 255 times the sum of the high bytes leaves the sum of both. The result fits if
    /// there are at most `maximumRows` rows.
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

    /// Returns whether all blocks begin and end between pairs, and all of their rows are summed.
    static func fits(_ frame: Frame, factor: Int) -> Bool {
        !frame.format.isRGB && frame.format.components.first.step == 1 && factor.isMultiple(of: 2)
            && frame.width.isMultiple(of: 2) && factor <= maximumRows
    }
}

/// Sums 14-bit samples, regardless of their position in the word: 64 times the grey level.
enum WordSums: RowSums {
    static var samplesAtATime: Int { 1 }
    static var maximumRows: Int { 64 }
    static func unit(_ depth: SampleDepth, fullRange: Bool) -> Float { depth.unitOf14Bits(fullRange: fullRange) }

    static func add(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<UInt32>
    ) {
        let headroom = UInt16(truncatingIfNeeded: headroom)
        addUp(row, stride: stride, rows: rows, into: sums) { (stored: UInt16) in
            UInt32(truncatingIfNeeded: (stored &<< headroom) &>> 2)
        }
    }
}

/// Sums row after row, so that the compiler vectorises the loop over each.
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

/// Converts a block's sums of red, green and blue into one grey level.
struct ColorLevel {
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

/// Converts the sum of a block's luma samples into a grey level.
protocol LevelOfSum {
    func of(_ total: Int32) -> UInt8
}

/// Computes the level in floating point, through the HDR tone map if there is one.
struct FloatLevel: LevelOfSum {
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

/// Computes the level in 12.20 fixed point. The error is below a thousandth of a level.
struct FixedPointLevel: LevelOfSum {
    private let gain: Int32
    private let offset: Int32

    init(gain: Float, floor: Float) {
        self.gain = Int32((gain * 1_048_576).rounded())
        offset = Int32(((0.5 - floor) * 1_048_576).rounded())
    }

    /// The product fits into 31 bits: the mean of a block is at most 255, and white is at most 297 after limited range
    /// has been expanded.
    func of(_ total: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max((total &* gain &+ offset) &>> 20, 0), 255))
    }
}
