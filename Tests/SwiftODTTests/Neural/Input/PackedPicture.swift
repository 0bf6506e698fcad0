@testable import SwiftODT

/// A frame with memory of its own, filled by a test: padded strides, odd sizes, any format.
final class PackedPicture {
    let format: PixelFormat
    let width: Int
    let height: Int
    private var memory: [UnsafeMutableRawPointer] = []
    private var strides: [Int] = []

    /// - Parameter sample: a component (0, 1, 2) at one of its own samples, on 0...255; wider samples have the same bits again
    ///   below.
    convenience init(
        _ format: PixelFormat, width: Int, height: Int, sample: (_ component: Int, _ x: Int, _ y: Int) -> UInt8
    ) {
        self.init(format, width: width, height: height, word: { UInt16(sample($0, $1, $2)) * 257 })
    }

    /// - Parameter word: a component (0, 1, 2) at one of its own samples, of which the upper bits are taken. Unused bits above
    ///   a sample are set, for they mean nothing.
    init(_ format: PixelFormat, width: Int, height: Int, word: (_ component: Int, _ x: Int, _ y: Int) -> UInt16) {
        let depth = format.depth
        self.format = format
        self.width = width
        self.height = height
        let components = [format.components.first, format.components.second, format.components.third]
        for plane in 0..<format.planeCount {
            let widest = components.filter { $0.plane == plane }.map { ((width + $0.shiftX) >> $0.shiftX) * $0.step }
            let tallest = components.filter { $0.plane == plane }.map { (height + $0.shiftY) >> $0.shiftY }
            let stride = (widest.max() ?? 1) * depth.bytes + 5
            let bytes = stride * (tallest.max() ?? 1)
            let base = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 1)
            base.initializeMemory(as: UInt8.self, repeating: 0xA5, count: bytes)
            memory.append(base)
            strides.append(stride)
        }
        for (number, component) in components.enumerated() {
            for y in 0..<((height + component.shiftY) >> component.shiftY) {
                for x in 0..<((width + component.shiftX) >> component.shiftX) {
                    let offset = y * strides[component.plane] + (component.offset + x * component.step) * depth.bytes
                    let sample = (Int(word(number, x, y)) >> (16 - depth.bits)) << depth.shift
                    let bits = UInt16(truncatingIfNeeded: sample | ~0 << (depth.bits + depth.shift))
                    if depth.bytes == 1 {
                        memory[component.plane].storeBytes(
                            of: UInt8(truncatingIfNeeded: bits), toByteOffset: offset, as: UInt8.self)
                    } else {
                        memory[component.plane].storeBytes(of: bits, toByteOffset: offset, as: UInt16.self)
                    }
                }
            }
        }
    }

    deinit {
        for base in memory { base.deallocate() }
    }

    /// A view of the memory: the picture has to be kept as long as it is used.
    func frame(
        orientation: Orientation = .identity, colorSpace: ColorSpace = .standardDefinition, pixelAspectRatio: Double = 1
    ) -> Frame {
        Frame(
            format: format, width: width, height: height,
            planes: zip(memory, strides).map { Frame.Plane(base: $0, stride: $1) }, colorSpace: colorSpace,
            orientation: orientation, pixelAspectRatio: pixelAspectRatio)
    }

    /// Lends out a small frame that is all of one grey level.
    static func withGrey<Answer>(_ level: UInt8, _ body: (Frame) throws -> Answer) rethrows -> Answer {
        let picture = PackedPicture(.gray8, width: 40, height: 20, sample: { _, _, _ in level })
        return try withExtendedLifetime(picture) { try body(picture.frame()) }
    }

    /// A component between its samples, interpolated in double precision; `x` and `y` in buffer pixels, samples kept within the region.
    func component(_ number: Int, x: Double, y: Double, region: (x: Range<Int>, y: Range<Int>)) -> Double {
        let components = [format.components.first, format.components.second, format.components.third]
        let component = components[number]
        func axis(_ position: Double, _ shift: Int, _ range: Range<Int>) -> (Int, Int, Double) {
            let first = range.lowerBound >> shift
            let last = (range.upperBound - 1) >> shift
            let at = min(max(position / Double(1 << shift) - 0.5, Double(first)), Double(last))
            let low = Int(at)
            return (low, min(low + 1, last), at - Double(low))
        }
        let (x0, x1, wx) = axis(x, component.shiftX, region.x)
        let (y0, y1, wy) = axis(y, component.shiftY, region.y)
        func sample(_ x: Int, _ y: Int) -> Double {
            let depth = format.depth
            let offset = y * strides[component.plane] + (component.offset + x * component.step) * depth.bytes
            let start = memory[component.plane] + offset
            if depth.bytes == 1 { return Double(start.load(as: UInt8.self)) }
            return Double(Int(start.loadUnaligned(as: UInt16.self)) >> depth.shift & depth.white)
        }
        return (sample(x0, y0) * (1 - wx) + sample(x1, y0) * wx) * (1 - wy)
            + (sample(x0, y1) * (1 - wx) + sample(x1, y1) * wx) * wy
    }
}

/// Numbers that look random and are the same each time.
struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
