import SwiftODT

/// One line of source samples for alpha blending. It is filled once and then blended with several lines of a frame.
final class BlendRow {
    /// The source samples, premultiplied with alpha.
    let value: UnsafeMutableRawPointer
    /// The weight of the destination sample for each source sample: white minus alpha. White is the largest value of a
    /// sample in this format.
    let keep: UnsafeMutableRawPointer
    private let depth: SampleDepth

    /// - Parameter capacity: The maximum number of samples.
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

    /// Repeats a range of samples directly behind the range, so that it occurs `times` times in total.
    func `repeat`(_ samples: Range<Int>, times: Int) {
        let (start, size) = (samples.lowerBound * depth.bytes, samples.count * depth.bytes)
        var done = size
        while done < size * times {
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

    /// Converts one component of a colour to a sample and the weight of the destination sample. The lanes of `color`
    /// are premultiplied with alpha and in the range 0 to white; the last lane is alpha. The sample never exceeds
    /// alpha, so the blended sum never exceeds white.
    @inline(__always)
    static func samples<Sample: BlendSample>(
        _: Sample.Type, _ white: Sample, component: Int, color: SIMD4<Float>
    ) -> (value: Sample, keep: Sample) {
        let alpha: Sample = rounded(color.w, white)
        return (min(rounded(color[component], white), alpha), white - alpha)
    }

    /// Rounds a level to the nearest sample value, at least 0 and at most `white`. The conversion goes through `Int32`,
    /// because the direct conversion from `Float` to small integers is much slower.
    @inline(__always)
    private static func rounded<Sample: BlendSample>(_ level: Float, _ white: Sample) -> Sample {
        Sample(truncatingIfNeeded: Int32(min(max(level, 0), Float(UInt32(white))) + 0.5))
    }
}

// MARK: - Blending samples

/// The integer type of a sample in memory. `Product` can hold the product of two samples.
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
    /// Blends source samples with destination samples. A weight of 0 yields exactly the source sample, and a full
    /// weight leaves the destination sample unchanged. Bits of a memory word that do not belong to the sample are
    /// preserved.
    static func blend(
        _ value: UnsafeRawPointer, keep: UnsafeRawPointer, into old: UnsafeMutableRawPointer, count: Int,
        depth: SampleDepth
    ) {
        // The arguments are literals, so that the compiler can remove the shifts for 8-bit samples.
        if depth.bytes == 1 {
            blend(UInt8.self, value, keep, old, count, bits: 8, shift: 0)
        } else {
            blend(UInt16.self, value, keep, old, count, bits: depth.bits, shift: depth.shift)
        }
    }

    /// Copies the same `count` bytes into each of `lines` lines, which start `stride` bytes apart. The previous content
    /// is replaced.
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

    /// Copies `count` bytes into each line by writing two words, which may overlap. `count` is at least the size of one
    /// word and at most the size of two words. This is the fast path for the vertical lines of boxes, which are narrow
    /// and long.
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

    /// Blends pixels that consist of four samples, one of which is alpha. If a destination pixel is not opaque,
    /// the colour of the destination is weighted with the alpha of the destination.
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

    /// Returns `a * b / white`, rounded to the nearest integer.
    @inline(__always)
    private static func share<Sample: BlendSample>(_ a: Sample, _ b: Sample, bits: Int) -> Sample {
        typealias Product = Sample.Product
        let half = Product(truncatingIfNeeded: 1 &<< (bits &- 1))
        let product = Product(truncatingIfNeeded: a) &* Product(truncatingIfNeeded: b) &+ half
        let shift = Product(truncatingIfNeeded: bits)
        return Sample(truncatingIfNeeded: (product &+ (product &>> shift)) &>> shift)
    }

    /// Loads a sample from an address that need not be aligned, because strides of upstream buffers may be odd.
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
