@testable import SwiftODT

/// A test frame with its own memory in any format and size, with padded strides.
final class PackedPicture {
    let format: PixelFormat
    let width: Int
    let height: Int
    private var memory: [UnsafeMutableRawPointer] = []
    private var strides: [Int] = []

    /// - Parameter sample: the value of a component (0, 1, 2) at one of its own samples, 0 to 255. Wider samples repeat
    ///   the bits below.
    convenience init(
        _ format: PixelFormat, width: Int, height: Int, sample: (_ component: Int, _ x: Int, _ y: Int) -> UInt8
    ) {
        self.init(format, width: width, height: height, word: { UInt16(sample($0, $1, $2)) * 257 })
    }

    /// - Parameter word: the value of a component (0, 1, 2) at one of its own samples; narrower samples use the upper
    ///   bits. Unused bits above a sample are set, because readers must ignore them.
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

    /// Returns a frame that refers to the picture's memory; the picture must outlive the frame.
    func frame(
        orientation: Orientation = .identity, colorSpace: ColorSpace = .standardDefinition, pixelAspectRatio: Double = 1
    ) -> Frame {
        Frame(
            format: format, width: width, height: height,
            planes: zip(memory, strides).map { Frame.Plane(base: $0, stride: $1) }, colorSpace: colorSpace,
            orientation: orientation, pixelAspectRatio: pixelAspectRatio)
    }

    /// Calls `body` with a small frame of one grey level.
    static func withGrey<Answer>(_ level: UInt8, _ body: (Frame) throws -> Answer) rethrows -> Answer {
        let picture = PackedPicture(.gray8, width: 40, height: 20, sample: { _, _, _ in level })
        return try withExtendedLifetime(picture) { try body(picture.frame()) }
    }

    /// Returns a component interpolated between its samples in double precision. `x` and `y` are in buffer pixels;
    /// samples outside the region are clamped to it.
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

/// A deterministic random number generator (SplitMix64).
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
