@testable import SwiftODT

/// A test frame with its own memory in any format, painted pixel by pixel.
final class TestPicture {
    let format: PixelFormat
    let width: Int
    let height: Int
    private let memory: [UnsafeMutableRawBufferPointer]
    private let planes: [Frame.Plane]

    /// - Parameters:
    ///   - padding: the number of bytes after each row. They contain noise that must never be read.
    ///   - bottomUp: whether the rows are stored from last to first, with a negative stride.
    init(_ format: PixelFormat, width: Int, height: Int, padding: Int = 0, bottomUp: Bool = false) {
        self.format = format
        self.width = width
        self.height = height
        var memory: [UnsafeMutableRawBufferPointer] = []
        var planes: [Frame.Plane] = []
        for index in 0..<format.planeCount {
            let extent = format.extent(ofPlane: index, width: width, height: height)
            let (stride, rows) = (extent.rowBytes + padding, extent.rows)
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * rows, alignment: 16)
            for i in bytes.indices { bytes[i] = UInt8(truncatingIfNeeded: i &* 37 &+ 11) }
            memory.append(bytes)
            let start = bytes.baseAddress!
            planes.append(
                bottomUp
                    ? .init(base: start + stride * (rows - 1), stride: -stride) : .init(base: start, stride: stride))
        }
        self.memory = memory
        self.planes = planes
    }

    deinit { memory.forEach { $0.deallocate() } }

    /// Calls `body` with a frame that refers to the picture's memory, which is valid only during the call.
    func withFrame<Answer>(
        colorSpace: ColorSpace = .init(matrix: .bt601, fullRange: true), orientation: Orientation = .identity,
        time: Nanoseconds = 0, _ body: (Frame) throws -> Answer
    ) rethrows -> Answer {
        try withExtendedLifetime(self) {
            try body(
                Frame(
                    format: format, width: width, height: height, planes: planes, colorSpace: colorSpace,
                    orientation: orientation, time: time))
        }
    }

    /// Erases the picture's memory. The returned function restores the bytes before an address, in the plane that
    /// contains it.
    func takeAway() -> (UnsafeRawPointer) -> Void {
        let painted = memory.map { Array($0) }
        for bytes in memory { bytes.initializeMemory(as: UInt8.self, repeating: 0x55) }
        return { [memory] end in
            for (bytes, painted) in zip(memory, painted) {
                let count = end - UnsafeRawPointer(bytes.baseAddress!)
                if (1...bytes.count).contains(count) { bytes.copyBytes(from: painted.prefix(count)) }
            }
        }
    }

    /// Paints all pixels in grey, with neutral chroma.
    func paint(_ level: (Int, Int) -> UInt8) {
        for y in 0..<height {
            for x in 0..<width { set(x, y, level(x, y)) }
        }
    }

    func set(_ x: Int, _ y: Int, _ level: UInt8) {
        put(format.components.first, x, y, level)
        if format.isGray { return }
        for component in [format.components.second, format.components.third] {
            if format.isYUV {
                put(component, x, y, sample: 1 << (format.depth.bits - 1))
            } else {
                put(component, x, y, level)
            }
        }
    }

    /// Writes one component of one pixel. The level has full range, 0 to 255.
    func put(_ c: PixelComponent, _ x: Int, _ y: Int, _ level: UInt8) {
        put(c, x, y, sample: (Int(level) * format.depth.white + 127) / 255)
    }

    /// Writes one component of one pixel. Sets the unused bits above the sample, because readers must ignore them.
    func put(_ c: PixelComponent, _ x: Int, _ y: Int, sample: Int) {
        let (plane, depth) = (planes[c.plane], format.depth)
        let row = plane.base + (y >> c.shiftY) * plane.stride
        let address = row + ((x >> c.shiftX) * c.step + c.offset) * depth.bytes
        let junk = ~0 << (depth.bits + depth.shift)
        let word = UInt16(truncatingIfNeeded: sample << depth.shift | junk).littleEndian
        if depth.bytes == 1 {
            address.storeBytes(of: UInt8(sample), as: UInt8.self)
        } else {
            address.storeBytes(of: word, as: UInt16.self)
        }
    }
}
