/// A row of new bytes, each already multiplied with its alpha, and beside it how much of the old byte stays (255 less
/// alpha): scratch memory that is written once and laid over many rows.
final class BlendRow {
    let value: UnsafeMutablePointer<UInt8>
    let keep: UnsafeMutablePointer<UInt8>
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        value = .allocate(capacity: self.capacity)
        keep = .allocate(capacity: self.capacity)
        clear(self.capacity)
    }

    deinit {
        value.deallocate()
        keep.deallocate()
    }

    /// Makes the first bytes change nothing.
    func clear(_ count: Int) {
        value.update(repeating: 0, count: count)
        keep.update(repeating: 255, count: count)
    }

    func set(_ byte: Int, component: Int, color: SIMD4<Float>) {
        (value[byte], keep[byte]) = BlendRow.bytes(component: component, color: color)
    }

    /// What one byte becomes: its value and what it keeps. `color` is on 0...255, multiplied with its alpha, which is
    /// the last lane. A value never exceeds its alpha, so that sums never exceed 255.
    @inline(__always)
    static func bytes(component: Int, color: SIMD4<Float>) -> (value: UInt8, keep: UInt8) {
        let alpha = UInt8(min(max(color.w, 0), 255) + 0.5)
        let value = UInt8(min(max(color[component], 0), 255) + 0.5)
        return (min(value, alpha), 255 - alpha)
    }

    /// Lays bytes over old ones. Exact at both ends: nothing kept gives the value, all kept leaves the old byte.
    static func blend(
        _ value: UnsafePointer<UInt8>, keep: UnsafePointer<UInt8>, into old: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        for index in 0..<count {
            old[index] = value[index] &+ share(old[index], keep[index])
        }
    }

    /// The same for pixels of four bytes whose alpha counts: where the old pixel is not opaque, its colour weighs
    /// accordingly less.
    static func blendPixels(
        _ value: UnsafePointer<UInt8>, keep: UnsafePointer<UInt8>, into old: UnsafeMutablePointer<UInt8>, count: Int,
        alphaByte: Int
    ) {
        for start in stride(from: 0, to: count * 4, by: 4) where keep[start] != 255 {
            let before = old[start + alphaByte]
            if before == 255 {
                for index in start..<(start + 4) { old[index] = value[index] &+ share(old[index], keep[index]) }
                continue
            }
            let remains = Int(share(before, keep[start]))
            let alpha = Int(value[start + alphaByte]) + remains
            for index in start..<(start + 4) {
                old[index] = UInt8(min(255, (Int(value[index]) * 255 + Int(old[index]) * remains + alpha / 2) / alpha))
            }
            old[start + alphaByte] = UInt8(alpha)
        }
    }

    /// `a * b / 255`, rounded.
    @inline(__always)
    private static func share(_ a: UInt8, _ b: UInt8) -> UInt8 {
        let product = UInt16(a) &* UInt16(b) &+ 128
        return UInt8(truncatingIfNeeded: (product &+ (product >> 8)) >> 8)
    }
}
