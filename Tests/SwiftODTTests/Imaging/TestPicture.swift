@testable import SwiftODT

/// A frame's memory in any format, painted by a function of the pixel: what the imaging, motion and vision tests look at.
final class TestPicture {
    let format: PixelFormat
    let width: Int
    let height: Int
    private let memory: [UnsafeMutableRawBufferPointer]
    private let planes: [Frame.Plane]

    /// - Parameters:
    ///   - padding: bytes behind each row, filled with noise that must never be read.
    ///   - bottomUp: the rows lie in memory from last to first, the stride is negative.
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

    /// Lends a view of the picture as it is now; the memory is there for as long as `body` runs.
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

    /// Paints every pixel grey; chroma becomes neutral.
    func paint(_ level: (Int, Int) -> UInt8) {
        for y in 0..<height {
            for x in 0..<width { set(x, y, level(x, y)) }
        }
    }

    func set(_ x: Int, _ y: Int, _ level: UInt8) {
        let chroma: UInt8 = format.isYUV ? 128 : level
        put(format.components.first, x, y, level)
        if !format.isGray {
            put(format.components.second, x, y, chroma)
            put(format.components.third, x, y, chroma)
        }
    }

    /// Writes one component of one pixel.
    func put(_ c: PixelComponent, _ x: Int, _ y: Int, _ value: UInt8) {
        let plane = planes[c.plane]
        let address = plane.base + (y >> c.shiftY) * plane.stride + (x >> c.shiftX) * c.step + c.offset
        address.storeBytes(of: value, as: UInt8.self)
    }
}
