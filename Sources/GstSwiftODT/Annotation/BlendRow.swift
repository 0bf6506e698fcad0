import SwiftODT

/// A row of new samples, each already multiplied with its alpha, and beside it how much of the old sample stays (white
/// less alpha): scratch memory that is written once and laid over many rows.
final class BlendRow {
    let value: UnsafeMutableRawPointer
    let keep: UnsafeMutableRawPointer
    private let depth: SampleDepth

    /// - Parameter capacity: samples.
    init(capacity: Int, depth: SampleDepth) {
        let bytes = max(capacity, 1) * depth.bytes
        self.depth = depth
        value = .allocate(byteCount: bytes, alignment: 16)
        keep = .allocate(byteCount: bytes, alignment: 16)
        clear(max(capacity, 1))
    }

    deinit {
        value.deallocate()
        keep.deallocate()
    }

    /// Makes the first samples change nothing.
    func clear(_ count: Int) {
        value.initializeMemory(as: UInt8.self, repeating: 0, count: count * depth.bytes)
        if depth.bytes == 1 {
            keep.initializeMemory(as: UInt8.self, repeating: .max, count: count)
        } else {
            keep.initializeMemory(as: UInt16.self, repeating: UInt16(depth.white), count: count)
        }
    }

    func set(_ place: Int, component: Int, color: SIMD4<Float>) {
        if depth.bytes == 1 { return set(place, BlendRow.samples(UInt8.self, 255, component: component, color: color)) }
        set(place, BlendRow.samples(UInt16.self, UInt16(depth.white), component: component, color: color))
    }

    /// Puts copies of some samples behind them, so that they stand there as many times.
    func `repeat`(_ samples: Range<Int>, times: Int) {
        let (start, size) = (samples.lowerBound * depth.bytes, samples.count * depth.bytes)
        var done = size
        while done < size * times {
            // Twice as many each time.
            let more = min(done, size * times - done)
            for row in [value, keep] { (row + start + done).copyMemory(from: row + start, byteCount: more) }
            done += more
        }
    }

    @inline(__always)
    private func set<Sample: BlendSample>(_ place: Int, _ samples: (value: Sample, keep: Sample)) {
        value.storeBytes(of: samples.value, toByteOffset: place * MemoryLayout<Sample>.size, as: Sample.self)
        keep.storeBytes(of: samples.keep, toByteOffset: place * MemoryLayout<Sample>.size, as: Sample.self)
    }

    /// What one sample becomes: its value and what it keeps. `color` is on 0...white, multiplied with its alpha, which is
    /// the last lane. A value never exceeds its alpha, so that sums never exceed white.
    @inline(__always)
    static func samples<Sample: BlendSample>(
        _: Sample.Type, _ white: Sample, component: Int, color: SIMD4<Float>
    ) -> (value: Sample, keep: Sample) {
        let alpha: Sample = rounded(color.w, white)
        return (min(rounded(color[component], white), alpha), white - alpha)
    }

    /// By way of a machine integer: from a float to any other integer the way is many times as long.
    @inline(__always)
    private static func rounded<Sample: BlendSample>(_ level: Float, _ white: Sample) -> Sample {
        Sample(truncatingIfNeeded: Int32(min(max(level, 0), Float(UInt32(white))) + 0.5))
    }
}

// MARK: - Laying samples over others

/// A sample in memory, and what a product of two fits in.
protocol BlendSample: FixedWidthInteger, UnsignedInteger {
    associatedtype Product: FixedWidthInteger, UnsignedInteger
}

extension UInt8: BlendSample {
    typealias Product = UInt16
}

extension UInt16: BlendSample {
    typealias Product = UInt32
}

extension BlendRow {
    /// Lays samples over old ones. Exact at both ends: nothing kept gives the value, all kept leaves the old sample. Bits of
    /// a word that are not the sample's stay as they are.
    static func blend(
        _ value: UnsafeRawPointer, keep: UnsafeRawPointer, into old: UnsafeMutableRawPointer, count: Int,
        depth: SampleDepth
    ) {
        // Bytes as literals: nothing is left of the shifts then.
        if depth.bytes == 1 {
            blend(UInt8.self, value, keep, old, count, bits: 8, shift: 0)
        } else {
            blend(UInt16.self, value, keep, old, count, bits: depth.bits, shift: depth.shift)
        }
    }

    /// Puts the same bytes into line after line, whatever was there.
    static func cover(
        _ value: UnsafeRawPointer, count: Int, into old: UnsafeMutableRawPointer, lines: Int, stride: Int
    ) {
        switch count {
        case 16...:
            for line in 0..<lines { (old + line * stride).copyMemory(from: value, byteCount: count) }
        case 8...: cover(UInt64.self, value, count, old, lines, stride)
        case 4...: cover(UInt32.self, value, count, old, lines, stride)
        case 2...: cover(UInt16.self, value, count, old, lines, stride)
        default: cover(UInt8.self, value, count, old, lines, stride)
        }
    }

    /// One to two words of bytes, as two words that may overlap: standing lines are as narrow as that, and long.
    @inline(__always)
    private static func cover<Word: FixedWidthInteger & BitwiseCopyable>(
        _: Word.Type, _ value: UnsafeRawPointer, _ count: Int, _ old: UnsafeMutableRawPointer, _ lines: Int,
        _ stride: Int
    ) {
        let last = count - MemoryLayout<Word>.size
        let first = value.loadUnaligned(as: Word.self)
        let second = value.loadUnaligned(fromByteOffset: last, as: Word.self)
        for line in 0..<lines {
            (old + line &* stride).storeBytes(of: first, as: Word.self)
            (old + line &* stride + last).storeBytes(of: second, as: Word.self)
        }
    }

    @inline(__always)
    private static func blend<Sample: BlendSample>(
        _: Sample.Type, _ value: UnsafeRawPointer, _ keep: UnsafeRawPointer, _ old: UnsafeMutableRawPointer,
        _ count: Int, bits: Int, shift: Int
    ) {
        let white = Sample(truncatingIfNeeded: 1 &<< bits &- 1)
        let down = Sample(truncatingIfNeeded: shift)
        let others = ~(white &<< down)
        for index in 0..<count {
            let before = load(old, index, as: Sample.self)
            let stays = share((before &>> down) & white, load(keep, index), bits: bits)
            let after = load(value, index) &+ stays
            store((after &<< down) | (before & others), old, index)
        }
    }

    /// The same for pixels of four samples whose alpha counts: where the old pixel is not opaque, its colour weighs
    /// accordingly less.
    static func blendPixels(
        _ value: UnsafeRawPointer, keep: UnsafeRawPointer, into old: UnsafeMutableRawPointer, count: Int, alpha: Int,
        depth: SampleDepth
    ) {
        if depth.bytes == 1 {
            blendPixels(UInt8.self, value, keep, old, count, alpha: alpha, bits: 8)
        } else {
            blendPixels(UInt16.self, value, keep, old, count, alpha: alpha, bits: depth.bits)
        }
    }

    @inline(__always)
    private static func blendPixels<Sample: BlendSample>(
        _: Sample.Type, _ value: UnsafeRawPointer, _ keep: UnsafeRawPointer, _ old: UnsafeMutableRawPointer,
        _ count: Int, alpha place: Int, bits: Int
    ) {
        let white = Sample(truncatingIfNeeded: 1 &<< bits &- 1)
        for start in stride(from: 0, to: count * 4, by: 4) {
            let kept = load(keep, start, as: Sample.self)
            guard kept != white else { continue }
            let before = load(old, start + place, as: Sample.self)
            if before == white {
                for index in start..<(start + 4) {
                    let stays = share(load(old, index), load(keep, index, as: Sample.self), bits: bits)
                    store(load(value, index) &+ stays, old, index)
                }
                continue
            }
            let remains = Int(share(before, kept, bits: bits))
            let alpha = Int(load(value, start + place, as: Sample.self)) + remains
            for index in start..<(start + 4) {
                let new = Int(load(value, index, as: Sample.self)) * Int(white)
                let sum = new + Int(load(old, index, as: Sample.self)) * remains
                store(Sample(min(Int(white), (sum + alpha / 2) / alpha)), old, index)
            }
            store(Sample(alpha), old, start + place)
        }
    }

    /// `a * b / white`, rounded.
    @inline(__always)
    private static func share<Sample: BlendSample>(_ a: Sample, _ b: Sample, bits: Int) -> Sample {
        typealias Product = Sample.Product
        let half = Product(truncatingIfNeeded: 1 &<< (bits &- 1))
        let product = Product(truncatingIfNeeded: a) &* Product(truncatingIfNeeded: b) &+ half
        let shift = Product(truncatingIfNeeded: bits)
        return Sample(truncatingIfNeeded: (product &+ (product &>> shift)) &>> shift)
    }

    /// Rows of a frame may lie anywhere: upstream's strides need not be even.
    @inline(__always)
    private static func load<Sample: BlendSample>(
        _ row: UnsafeRawPointer, _ index: Int, as: Sample.Type = Sample.self
    ) -> Sample {
        row.loadUnaligned(fromByteOffset: index &* MemoryLayout<Sample>.size, as: Sample.self)
    }

    @inline(__always)
    private static func store<Sample: BlendSample>(_ sample: Sample, _ row: UnsafeMutableRawPointer, _ index: Int) {
        row.storeBytes(of: sample, toByteOffset: index &* MemoryLayout<Sample>.size, as: Sample.self)
    }
}
