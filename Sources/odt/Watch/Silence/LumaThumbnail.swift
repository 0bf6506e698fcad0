import CGStreamer
import SwiftODT

/// The brightness of a frame in 64 × 36 cells.
struct LumaThumbnail: Equatable {
    static let (columns, rows) = (64, 36)
    /// The number of samples in each direction that are averaged for a cell.
    private static let samples = 4

    /// The brightness of the cells, 0 to 255, row by row.
    let cells: [Float]

    init(_ cells: [Float]) { self.cells = cells }

    /// - Returns: `nil` if the format of the frame has no samples that can be read, or the frame is empty.
    init?(_ frame: GstVideoFrame) {
        guard let format = frame.info.finfo?.pointee, frame.info.width > 0, frame.info.height > 0 else { return nil }
        // The first component of YUV formats is the brightness. In RGB formats, the second component, green,
        // approximates it best.
        let isColored = format.flags.rawValue & GST_VIDEO_FORMAT_FLAG_RGB.rawValue != 0
        let component = isColored ? 1 : 0
        func of<Value>(_ values: (Value, Value, Value, Value)) -> Value { component == 0 ? values.0 : values.1 }
        let plane = Int(of(format.plane))
        let (bases, strides) = (frame.data, frame.info.stride)
        let base = plane == 0 ? bases.0 : plane == 1 ? bases.1 : bases.2
        let stride = Int(plane == 0 ? strides.0 : plane == 1 ? strides.1 : strides.2)
        let (step, offset) = (Int(of(format.pixel_stride)), Int(of(format.poffset)))
        let (depth, shift) = (Int(of(format.depth)), Int(of(format.shift)))
        guard let base, step > 0, stride > 0, depth >= 8 else { return nil }
        let (width, height) = (Int(frame.info.width), Int(frame.info.height))
        let bytes = UnsafeRawPointer(base) + offset
        var cells = [Float](repeating: 0, count: Self.columns * Self.rows)
        let (across, down) = (Self.columns * Self.samples, Self.rows * Self.samples)
        for y in 0..<down {
            let line = bytes + y * height / down * stride
            for x in 0..<across {
                let pixel = line + x * width / across * step
                let value =
                    depth == 8
                    ? Int(pixel.load(as: UInt8.self))
                    : Int(UInt16(littleEndian: pixel.loadUnaligned(as: UInt16.self))) >> (shift + depth - 8) & 255
                cells[y / Self.samples * Self.columns + x / Self.samples] += Float(value)
            }
        }
        self.cells = cells.map { $0 / Float(Self.samples * Self.samples) }
    }

    private var mean: Float { cells.reduce(0, +) / Float(cells.count) }

    /// The standard deviation of the cells.
    var contrast: Float {
        let mean = mean
        return (cells.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(cells.count)).squareRoot()
    }

    /// The normalized cross-correlation with another picture, -1 to 1. It does not depend on brightness and contrast.
    func similarity(to other: LumaThumbnail) -> Float {
        let (mean, otherMean) = (mean, other.mean)
        var (product, square, otherSquare): (Float, Float, Float) = (0, 0, 0)
        for (one, two) in zip(cells, other.cells) {
            product += (one - mean) * (two - otherMean)
            square += (one - mean) * (one - mean)
            otherSquare += (two - otherMean) * (two - otherMean)
        }
        return square > 0 && otherSquare > 0 ? product / (square * otherSquare).squareRoot() : 0
    }

    /// Returns the weighted average with another picture. `part` (0 to 1) is the weight of the other picture.
    func blended(with other: LumaThumbnail, part: Float) -> LumaThumbnail {
        LumaThumbnail(zip(cells, other.cells).map { $0 + ($1 - $0) * part })
    }
}
