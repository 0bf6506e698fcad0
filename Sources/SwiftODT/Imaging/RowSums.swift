/// Adds several rows of a frame column by column.
protocol RowSums {
    associatedtype Sum: FixedWidthInteger, UnsignedInteger

    /// The number of adjacent samples of one component that are added to one sum.
    static var samplesAtATime: Int { get }

    /// The maximum number of rows of a block that are added. With this limit, neither a sum nor the 32-bit total of a
    /// block overflows. If a block has more rows, only every second, third or later row is added.
    static var maximumRows: Int { get }

    /// Adds `rows` rows. `row` is the address of the first row, `stride` the distance between rows in bytes.
    ///
    /// - Parameter headroom: the number of unused bits above a 16-bit sample.
    static func add(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<Sum>)
}

enum ByteSums: RowSums {
    static var samplesAtATime: Int { 1 }
    static var maximumRows: Int { 256 }

    static func add(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<UInt16>
    ) {
        addUp(row, stride: stride, rows: rows, into: sums) { (stored: UInt8) in UInt16(truncatingIfNeeded: stored) }
    }
}

/// Adds 8-bit samples in pairs of adjacent samples of one component. Both samples of a pair are in the same block, so
/// one sum per pair is sufficient.
enum BytePairSums: RowSums {
    static var samplesAtATime: Int { 2 }
    static var maximumRows: Int { 128 }

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

    /// Adds all rows of `Vector.scalarCount` pairs, and keeps the sums in registers. A pair of bytes is loaded as one
    /// 16-bit value, `low + 256 * high`. The sum of all bytes is the sum of these values minus 255 times the sum of the
    /// high bytes. The sum of all bytes fits into 16 bits for up to `maximumRows` rows.
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

    /// Returns whether both samples of every pair are in the same block, and a block has at most `maximumRows` rows.
    static func fits(_ frame: Frame, factor: Int) -> Bool {
        !frame.format.isRGB && frame.format.components.first.step == 1 && factor.isMultiple(of: 2)
            && frame.width.isMultiple(of: 2) && factor <= maximumRows
    }
}

/// Adds samples of 16-bit words. Each sample is first shifted to 14 bits, regardless of its number of bits and its
/// position in the word. One 8-bit level then corresponds to about 64 units.
enum WordSums: RowSums {
    static var samplesAtATime: Int { 1 }
    static var maximumRows: Int { 64 }

    static func add(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<UInt32>
    ) {
        let headroom = UInt16(truncatingIfNeeded: headroom)
        addUp(row, stride: stride, rows: rows, into: sums) { (stored: UInt16) in
            UInt32(truncatingIfNeeded: (stored &<< headroom) &>> 2)
        }
    }
}

/// The compiler vectorises the loops over the samples of a row.
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

protocol LevelOfSum {
    func of(_ total: Int32) -> UInt8
}

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

/// Fixed point with 20 fractional bits. The error is below a thousandth of a level.
struct FixedPointLevel: LevelOfSum {
    private let gain: Int32
    private let offset: Int32

    init(gain: Float, floor: Float) {
        self.gain = Int32((gain * 1_048_576).rounded())
        offset = Int32(((0.5 - floor) * 1_048_576).rounded())
    }

    /// The product of the sum and the gain is the mean of the block with 20 fractional bits. The product fits into 31
    /// bits, because the mean is at most 297 (255 expanded from limited range).
    func of(_ total: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: min(max((total &* gain &+ offset) &>> 20, 0), 255))
    }
}
