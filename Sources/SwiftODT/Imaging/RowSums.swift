/// How the rows of a block are added up: sample by sample, whatever the samples mean.
protocol RowSums {
    associatedtype Sum: FixedWidthInteger, UnsignedInteger

    /// How many of a component's samples go into one sum.
    static var samplesAtATime: Int { get }

    /// Rows of a block that are added up: a sum of their samples has to fit, and that of a block into 32 bits. Taller blocks are
    /// sampled evenly.
    static var maximumRows: Int { get }

    /// What grey level 1 adds to a sum; in full range, for the white of wider samples is a little more than 255.
    static func unit(_ depth: SampleDepth, fullRange: Bool) -> Float

    /// Adds up rows: the first of them begins at `row`, each `stride` bytes after the one before.
    static func add(
        _ row: UnsafeRawPointer, stride: Int, rows: Int, headroom: Int, into sums: UnsafeMutableBufferPointer<Sum>)
}

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

/// Two bytes of one component side by side, which lie in one block and need no sums of their own: half of the work.
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
            && frame.width.isMultiple(of: 2) && factor <= maximumRows
    }
}

/// 14 bits of the sample count, wherever they lie: 64 times the grey level.
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
