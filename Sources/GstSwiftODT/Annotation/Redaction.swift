import SwiftODT

/// Redacts a part of a frame irreversibly, in the frame's pixel format: samples are replaced by the means of blocks,
/// from which the original cannot be recovered.
///
/// The cost is two passes over the samples of the part.
enum Redaction {
    enum Method: Sendable {
        /// Blocks of one colour.
        case pixelate
        /// The same blocks, interpolated.
        case blur
    }

    /// Redacts a box with a margin of a tenth of its size on each side, because boxes jitter and hair and elbows extend
    /// beyond them.
    static func apply(_ method: Method, to box: Box, in frame: Frame) {
        let part = room(of: box, width: frame.width, height: frame.height)
        guard part.isFinite, !part.isEmpty else { return }
        let columns = Int(part.x.rounded(.down))..<min(frame.width, Int(part.maxX.rounded(.up)))
        let rows = Int(part.y.rounded(.down))..<min(frame.height, Int(part.maxY.rounded(.up)))
        let block = blockSize(columns.count, rows.count)
        let components = frame.format.components
        let all = frame.format.isGray ? [components.first] : [components.first, components.second, components.third]
        for component in all {
            let mosaic = Mosaic(
                component, depth: frame.format.depth, columns: columns, rows: rows, block: block, of: frame)
            mosaic.apply(method, to: frame.plane(component.plane))
        }
    }

    /// Returns the part of a picture that is redacted for a box.
    static func room(of box: Box, width: Int, height: Int) -> Box {
        Box(centerX: box.centerX, centerY: box.centerY, width: 1.2 * box.width, height: 1.2 * box.height)
            .clipped(width: width, height: height)
    }

    /// Returns the block size in pixels: an eighth of the shorter side but at least 8, and even to align with
    /// subsampled chroma.
    private static func blockSize(_ width: Int, _ height: Int) -> Int { max(8, (min(width, height) + 15) / 16 * 2) }
}

/// The samples of one component in a part of a frame, divided into blocks.
private struct Mosaic {
    private let component: PixelComponent
    private let depth: SampleDepth
    /// Columns of samples.
    private let columns: Range<Int>
    private let rows: Range<Int>
    private let blockWidth: Int
    private let blockHeight: Int
    private var blocksAcross: Int { (columns.count + blockWidth - 1) / blockWidth }
    private var blocksDown: Int { (rows.count + blockHeight - 1) / blockHeight }

    /// - Parameters:
    ///   - columns: columns of pixels; `rows` and `block` are in pixels, too.
    init(
        _ component: PixelComponent, depth: SampleDepth, columns: Range<Int>, rows: Range<Int>, block: Int,
        of frame: Frame
    ) {
        (self.component, self.depth) = (component, depth)
        self.columns = Self.halved(columns, component.shiftX)
        self.rows = Self.halved(rows, component.shiftY)
        blockWidth = block >> component.shiftX
        blockHeight = block >> component.shiftY
    }

    /// Returns all samples that overlap the pixels.
    private static func halved(_ pixels: Range<Int>, _ shift: Int) -> Range<Int> {
        pixels.lowerBound >> shift..<(pixels.upperBound + (1 << shift) - 1) >> shift
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

    /// The two blocks whose centres surround a sample, and the weight of the second.
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

    /// Computes the means of a row of blocks.
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

    /// Interpolates between the rows of blocks above and below a row of samples.
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
        // Unused low bits stay zero.
        let mask: Sample = ~((1 << Sample(depth.shift)) - 1)
        for column in columns {
            let between = neighbours[column - columns.lowerBound]
            let value = line[between.first] + between.share * (line[between.second] - line[between.first])
            row.storeBytes(of: Sample(value + 0.5) & mask, toByteOffset: place(of: column), as: samples)
        }
    }
}
