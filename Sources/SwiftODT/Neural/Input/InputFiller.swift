/// Fills the input of a network from a frame or from a region of a frame. One pass over the pixels does the cropping,
/// rotation, scaling, colour conversion and normalisation.
///
/// The result equals bilinear interpolation with half-pixel centres. Each component of a YUV frame is interpolated at
/// its own resolution, with chroma samples centred on the pixels that they cover. The interpolated components are then
/// converted to RGB.
///
/// For each row of the result, the filler first interpolates vertically: it blends two source rows over their full
/// width in 16-bit integers. It then interpolates horizontally along the blended row, and converts the colours of the
/// resulting values. Memory is thus read sequentially, and colours are converted only for values of the result. The
/// filler writes one plane per channel. For networks with interleaved channels, the runtime converts the planes.
///
/// The filler reuses its tables and row buffers. If a frame has the same geometry as the previous frame, it allocates
/// no memory. The type is not thread-safe.
final class InputFiller {
    private let input: NetworkInput
    /// Whether the elements of the input tensor are bytes. Otherwise they are floats.
    private let bytes: Bool
    /// The range of the whole numbers to which the runtime converts the floats. The filler rounds and limits the floats,
    /// because the conversion drops fractions and wraps values around. `nil` if the runtime does not convert them.
    private let wholeRange: ClosedRange<Float>?
    private let places: TensorOffsets

    private var plan: Plan?
    private let componentRows = GrowingStorage<Float>()
    /// The converted rows of the three channels, before they are stored in the tensor.
    private let channelRows = GrowingStorage<Float>()

    /// If the picture is rotated by a quarter turn, source rows become columns of the tensor. This number of source
    /// rows is collected and stored at once, so several adjacent pixels of a tensor row are written together.
    private static let turnedRows = 16

    /// The data that can be reused for frames with the same geometry, colour space and tensor.
    private struct Plan {
        let geometry: InputGeometry
        let tensor: UnsafeMutableRawPointer
        let placement: InputPlacement
        let tables: ResampleTables
        let transform: ColorTransform
        /// The tone map of HDR frames. `nil` for other frames.
        let tone: ToneMap?
        /// The number of output pixels for a row of the buffer (`across`), and this number rounded up to a multiple of
        /// four (`padded`).
        let across: Int
        let padded: Int
        /// The number of output pixels for a column of the buffer.
        let down: Int
    }

    init(input: NetworkInput, bytes: Bool) {
        self.input = input
        self.bytes = bytes
        wholeRange =
            switch input.element {
            case .uint8 where !bytes: 0...255
            case .int8: -128...127
            default: nil
            }
        places = TensorOffsets(input)
    }

    /// Writes the region of the frame to the tensor. A `region` of `nil` is the full frame.
    ///
    /// - Parameter tensor: the memory of the network's input: planes of bytes or floats, in the order that
    ///   ``TensorOffsets`` defines.
    func fill(_ tensor: UnsafeMutableRawPointer, from frame: Frame, region: Box?) throws -> InputPlacement {
        let plan = try plan(for: frame, region: region, tensor: tensor)
        let turned = plan.geometry.orientation.swapsAxes
        var gathered = 0
        for row in 0..<plan.down {
            readComponents(of: frame, row: row, plan: plan)
            if turned {
                writeChannels(
                    at: channelRows.base + gathered * plan.padded, channelStride: Self.turnedRows * plan.padded,
                    plan: plan)
                gathered += 1
                if gathered == Self.turnedRows || row == plan.down - 1 {
                    storeColumns(from: row - gathered + 1, count: gathered, plan: plan)
                    gathered = 0
                }
            } else {
                storeRow(row, plan: plan)
            }
        }
        return plan.placement
    }

    /// Returns the plan of the previous frame if it is valid for this frame. Otherwise creates a plan and, if
    /// necessary, paints the background.
    private func plan(for frame: Frame, region: Box?, tensor: UnsafeMutableRawPointer) throws -> Plan {
        let geometry = try InputGeometry(frame: frame, region: region, input: input)
        if let plan, plan.geometry == geometry, plan.tensor == tensor { return plan }

        let turned = geometry.orientation.swapsAxes
        let across = turned ? geometry.area.height : geometry.area.width
        let padded = (across + 3) & ~3
        let plan = Plan(
            geometry: geometry, tensor: tensor, placement: geometry.placement,
            tables: ResampleTables(geometry: geometry, padded: padded),
            transform: ColorTransform(format: geometry.format, colorSpace: geometry.colorSpace, input: input),
            tone: ToneMap.of(geometry.colorSpace.transfer),
            across: across, padded: padded, down: turned ? geometry.area.width : geometry.area.height)
        componentRows.reset(count: plan.tables.rowCount * padded)
        channelRows.reset(count: 3 * padded * (turned ? Self.turnedRows : 1))
        // The background stays valid if the picture covers the same area of the same tensor as in the previous frame.
        if self.plan?.geometry.area != geometry.area || self.plan?.tensor != tensor { paintBackground(of: tensor) }
        self.plan = plan
        return plan
    }

    /// Fills the whole tensor with the grey level of the area that the picture does not cover.
    private func paintBackground(of tensor: UnsafeMutableRawPointer) {
        for plane in 0..<places.planes {
            let channel = plane % 3
            var level = (Float(input.fillLevel) - input.mean[channel]) * input.scale[channel]
            if let wholeRange { level = min(max(level.rounded(), wholeRange.lowerBound), wholeRange.upperBound) }
            let start = plane * places.plane
            if bytes {
                (tensor.assumingMemoryBound(to: UInt8.self) + start)
                    .update(repeating: RowKernels.byte(max(0, min(255, level))), count: places.plane)
            } else {
                (tensor.assumingMemoryBound(to: Float.self) + start).update(repeating: level, count: places.plane)
            }
        }
    }
}

// MARK: - From the frame

extension InputFiller {
    private func readComponents(of frame: Frame, row: Int, plan: Plan) {
        let depth = plan.geometry.format.depth
        for plane in plan.tables.planes {
            let source = frame.plane(plane.index)
            let pair = plane.rows[row]
            let start = source.base + plane.sampleStart * depth.bytes
            let first = start + pair.first * source.stride
            let second = start + pair.second * source.stride
            if depth.bytes == 1 {
                RowKernels.blend(
                    first.assumingMemoryBound(to: UInt8.self), second.assumingMemoryBound(to: UInt8.self),
                    weight: pair.weight, count: plane.sampleCount, into: plane.blended.base)
            } else {
                RowKernels.blendWords(
                    first, second, headroom: depth.headroom, weight: pair.weight, count: plane.sampleCount,
                    into: plane.blended.base)
            }
        }
        for group in plan.tables.groups {
            RowKernels.resample(
                group.blended.base, step: group.step, index: group.index.base, weights: group.weights.base,
                count: plan.padded, into: componentRows.base + group.firstRow * plan.padded)
        }
    }

    /// Converts the resampled components of one row to the three channels, in the network's channel order. The distance
    /// between two channels at `target` is `channelStride` elements.
    private func writeChannels(at target: UnsafeMutablePointer<Float>, channelStride: Int, plan: Plan) {
        let swapped = input.channelOrder == .bgr
        let red = target + (swapped ? 2 * channelStride : 0)
        let green = target + channelStride
        let blue = target + (swapped ? 0 : 2 * channelStride)
        let transform = plan.transform
        func component(_ number: Int) -> UnsafePointer<Float> {
            UnsafePointer(componentRows.base + plan.tables.componentRows[number] * plan.padded)
        }
        if plan.geometry.format.isYUV {
            RowKernels.convert(
                luma: component(0), u: component(1), v: component(2), count: plan.padded, transform: transform,
                red: red, green: green,
                blue: blue)
        } else {
            RowKernels.scale(component(0), count: plan.padded, by: transform.red, into: red)
            RowKernels.scale(component(1), count: plan.padded, by: transform.green, into: green)
            RowKernels.scale(component(2), count: plan.padded, by: transform.blue, into: blue)
        }
        if let tone = plan.tone {
            for channel in 0..<3 {
                tone.levels.withUnsafeBufferPointer { levels in
                    RowKernels.lookUp(
                        target + channel * channelStride, in: levels, count: plan.padded, mean: input.mean[channel],
                        scale: input.scale[channel])
                }
            }
        }
        guard let wholeRange else { return }
        for channel in 0..<3 {
            RowKernels.round(target + channel * channelStride, count: plan.padded, limits: wholeRange)
        }
    }
}

// MARK: - Into the tensor

extension InputFiller {
    private func storeRow(_ row: Int, plan: Plan) {
        let area = plan.geometry.area
        let y = area.y + row
        if !bytes && places.step == 1 && plan.padded == plan.across {
            let floats = plan.tensor.assumingMemoryBound(to: Float.self)
            writeChannels(
                at: floats + places.offset(x: area.x, y: y, channel: 0), channelStride: places.plane, plan: plan)
            return
        }
        writeChannels(at: channelRows.base, channelStride: plan.padded, plan: plan)
        for channel in 0..<3 {
            for first in 0..<min(places.step, plan.across) {
                put(
                    channelRows.base + channel * plan.padded + first, every: places.step,
                    count: places.count(of: plan.across, from: first),
                    at: places.offset(x: area.x + first, y: y, channel: channel), of: plan.tensor)
            }
        }
    }

    private func storeColumns(from first: Int, count: Int, plan: Plan) {
        let area = plan.geometry.area
        for channel in 0..<3 {
            let rows = channelRows.base + channel * Self.turnedRows * plan.padded
            for y in 0..<plan.across {
                for start in 0..<min(places.step, count) {
                    put(
                        rows + start * plan.padded + y, every: places.step * plan.padded,
                        count: places.count(of: count, from: start),
                        at: places.offset(x: area.x + first + start, y: area.y + y, channel: channel), of: plan.tensor)
                }
            }
        }
    }

    private func put(
        _ source: UnsafePointer<Float>, every step: Int, count: Int, at offset: Int, of tensor: UnsafeMutableRawPointer
    ) {
        if bytes {
            RowKernels.pick(
                source, every: step, count: count, into: tensor.assumingMemoryBound(to: UInt8.self) + offset)
        } else {
            RowKernels.pick(
                source, every: step, count: count, into: tensor.assumingMemoryBound(to: Float.self) + offset)
        }
    }
}
