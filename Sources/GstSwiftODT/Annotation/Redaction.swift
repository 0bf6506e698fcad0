import SwiftODT

/// Redacts a part of a frame in the frame's pixel format. The samples are replaced by the means of blocks, from which
/// the original frame cannot be recovered.
///
/// The cost is two passes over the samples of the redacted part.
enum Redaction {
    enum Method: Sendable {
        /// Each block has one colour, the mean of its samples.
        case pixelate
        /// The means of the same blocks, with interpolation between their centres.
        case blur
    }

    /// Redacts a box with a margin of a tenth of its size on each side. The margin is necessary because boxes jitter,
    /// and because hair and elbows extend beyond the box.
    static func apply(_ method: Method, to box: Box, in frame: Frame) {
        let part = room(of: box, width: frame.width, height: frame.height)
        guard part.isFinite, !part.isEmpty else { return }
        let columns = Int(part.x.rounded(.down))..<min(frame.width, Int(part.maxX.rounded(.up)))
        let rows = Int(part.y.rounded(.down))..<min(frame.height, Int(part.maxY.rounded(.up)))
        // The width and height of a block in pixels are an eighth of the shorter side of the redacted part, or a quarter
        // at the edge of the picture, because a head that enters the picture is smaller than the person. They are at
        // least a twentieth of the longer side, and at least 8. They are even, so that blocks align with subsampled
        // chroma.
        let (longer, shorter) = (max(columns.count, rows.count), min(columns.count, rows.count))
        let isCut = part.x <= 0 || part.y <= 0 || columns.upperBound == frame.width || rows.upperBound == frame.height
        let halfBlocks = isCut ? 8 : 16
        let block = max(8, (shorter + halfBlocks - 1) / halfBlocks * 2, (longer + 39) / 40 * 2)
        // All stored components are redacted. Even alpha can show the outline of a person.
        for component in frame.format.layout.stored {
            let mosaic = Mosaic(component, columns: columns, rows: rows, block: block, of: frame)
            mosaic.apply(method, to: frame.plane(component.plane))
        }
    }

    /// Returns the redacted area for a box: the box with its margin, clipped to the picture.
    static func room(of box: Box, width: Int, height: Int) -> Box {
        Box(centerX: box.centerX, centerY: box.centerY, width: 1.2 * box.width, height: 1.2 * box.height)
            .clipped(width: width, height: height)
    }
}

/// One component of the redacted part of a frame, divided into blocks.
private struct Mosaic {
    private let component: PixelComponent
    private let depth: SampleDepth
    /// The redacted columns and rows of the component's plane.
    private let columns: Range<Int>
    private let rows: Range<Int>
    /// The size of a block of this component in samples.
    private let blockWidth: Int
    private let blockHeight: Int
    private var blocksAcross: Int { (columns.count + blockWidth - 1) / blockWidth }
    private var blocksDown: Int { (rows.count + blockHeight - 1) / blockHeight }

    /// The ranges and the block size are in pixels.
    init(_ component: PixelComponent, columns: Range<Int>, rows: Range<Int>, block: Int, of frame: Frame) {
        (self.component, depth) = (component, frame.format.depth)
        self.columns = Self.halved(columns, component.shiftX)
        self.rows = Self.chromaRows(rows, component.shiftY, height: frame.height)
        blockWidth = block >> component.shiftX
        blockHeight = block >> component.shiftY
    }

    /// Returns the samples that overlap a range of pixels, for a component that is subsampled by 2^`shift`.
    private static func halved(_ pixels: Range<Int>, _ shift: Int) -> Range<Int> {
        pixels.lowerBound >> shift..<(pixels.upperBound + (1 << shift) - 1) >> shift
    }

    /// Returns the sample rows that overlap a range of pixel rows. In an interlaced frame with subsampled rows, two
    /// rows of one field share a sample row. The range is therefore extended to whole groups of four pixel rows.
    private static func chromaRows(_ pixels: Range<Int>, _ shift: Int, height: Int) -> Range<Int> {
        guard shift > 0 else { return pixels }
        let end = halved(0..<height, shift).upperBound
        return pixels.lowerBound / 4 * 2..<min(end, (pixels.upperBound + 3) / 4 * 2)
    }

    func apply(_ method: Redaction.Method, to plane: Frame.Plane) {
        if depth.bytes == 1 {
            apply(method, to: plane, samples: UInt8.self)
        } else {
            apply(method, to: plane, samples: UInt16.self)
        }
    }

    private func apply<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ method: Redaction.Method, to plane: Frame.Plane, samples: Sample.Type
    ) {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: blocksAcross * (blocksDown + 1)) { memory in
            let means = UnsafeMutableBufferPointer(rebasing: memory.prefix(blocksAcross * blocksDown))
            let line = UnsafeMutableBufferPointer(rebasing: memory.suffix(blocksAcross))
            for down in 0..<blocksDown { measure(plane, samples, blocksOf: down, into: means) }
            withUnsafeTemporaryAllocation(of: BlockInterpolation.self, capacity: columns.count) { neighbours in
                for column in columns.indices {
                    let place = column - columns.lowerBound
                    neighbours.initializeElement(
                        at: place, to: BlockInterpolation(of: place, size: blockWidth, count: blocksAcross, method))
                }
                for row in rows {
                    let place = row - rows.lowerBound
                    mix(means, BlockInterpolation(of: place, size: blockHeight, count: blocksDown, method), into: line)
                    write(line, neighbours, to: plane.base + row * plane.stride, samples)
                }
            }
        }
    }

    /// The two blocks whose centres surround a sample in one direction, and the weight of the second block (0 to 1).
    private struct BlockInterpolation: BitwiseCopyable {
        let first: Int
        let second: Int
        let share: Float

        init(of sample: Int, size: Int, count: Int, _ method: Redaction.Method) {
            guard method == .blur else {
                (first, second, share) = (sample / size, sample / size, 0)
                return
            }
            let place = max(0, (Float(sample) + 0.5) / Float(size) - 0.5)
            first = min(Int(place), count - 1)
            second = min(first + 1, count - 1)
            share = place - Float(first)
        }
    }

    private func measure<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ plane: Frame.Plane, _ samples: Sample.Type, blocksOf down: Int,
        into means: UnsafeMutableBufferPointer<Float>
    ) {
        let part = rows.dropFirst(down * blockHeight).prefix(blockHeight)
        for across in 0..<blocksAcross {
            let block = columns.dropFirst(across * blockWidth).prefix(blockWidth)
            var sum = 0
            for row in part {
                let line = plane.base + row * plane.stride
                for column in block {
                    sum += Int(line.loadUnaligned(fromByteOffset: place(of: column), as: samples))
                }
            }
            means[down * blocksAcross + across] = Float(sum) / Float(part.count * block.count)
        }
    }

    private func place(of column: Int) -> Int { (component.offset + column * component.step) * depth.bytes }

    /// Interpolates the means of the blocks vertically for one row of samples. `rows` selects the row of blocks above
    /// the samples and the row of blocks below them.
    private func mix(
        _ means: UnsafeMutableBufferPointer<Float>, _ rows: BlockInterpolation,
        into line: UnsafeMutableBufferPointer<Float>
    ) {
        for across in 0..<blocksAcross {
            let (above, below) = (means[rows.first * blocksAcross + across], means[rows.second * blocksAcross + across])
            line[across] = above + rows.share * (below - above)
        }
    }

    private func write<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ line: UnsafeMutableBufferPointer<Float>, _ neighbours: UnsafeMutableBufferPointer<BlockInterpolation>,
        to row: UnsafeMutableRawPointer, _ samples: Sample.Type
    ) {
        // The low bits of a memory word that the format does not use remain zero.
        let mask: Sample = ~((1 << Sample(depth.shift)) - 1)
        for column in columns {
            let between = neighbours[column - columns.lowerBound]
            let value = line[between.first] + between.share * (line[between.second] - line[between.first])
            row.storeBytes(of: Sample(value + 0.5) & mask, toByteOffset: place(of: column), as: samples)
        }
    }
}
