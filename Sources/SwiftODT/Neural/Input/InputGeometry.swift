/// The parameters of the mapping from the pixels of a frame to the input of a network.
struct InputGeometry: Hashable {
    let format: PixelFormat
    let orientation: Orientation
    let colorSpace: ColorSpace
    /// The inferred region, in whole buffer pixels.
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    /// The area of the network's input that the upright region covers.
    let area: FittedArea

    /// - Parameter region: in buffer pixels. It is clipped to the frame and enlarged to whole pixels. `nil` is the full
    ///   frame.
    init(frame: Frame, region: Box?, input: NetworkInput) throws {
        let whole = Box(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height))
        let box = region.map { $0.isFinite ? whole.intersection($0) : Box(x: 0, y: 0, width: 0, height: 0) } ?? whole
        guard !box.isEmpty else {
            throw ODTError(
                .invalidOption,
                "the inference region \(region ?? whole) is empty or outside the frame of "
                    + "\(frame.width)x\(frame.height); use a region inside the frame")
        }
        format = frame.format
        orientation = frame.orientation
        var colorSpace = ColorSpace.standardDefinition
        if frame.format.isYUV { colorSpace = frame.colorSpace }
        colorSpace.transfer = frame.colorSpace.transfer
        self.colorSpace = colorSpace
        x = Int(box.minX.rounded(.down))
        y = Int(box.minY.rounded(.down))
        width = min(frame.width, Int(box.maxX.rounded(.up))) - x
        height = min(frame.height, Int(box.maxY.rounded(.up))) - y

        let shownWidth = Double(width) * TileGrid.clampedToRange(frame.pixelAspectRatio)
        area =
            orientation.swapsAxes
            ? input.area(width: Double(height), height: shownWidth)
            : input.area(width: shownWidth, height: Double(height))
    }

    /// The mapping from output pixels to source pixels along the rows (`across`) and the columns (`down`) of the
    /// buffer.
    var sampling: (across: AxisSampling, down: AxisSampling) {
        let (mirroredAcross, mirroredDown) =
            switch orientation {
            case .identity, .transpose: (false, false)
            case .rotate90, .flipVertical: (false, true)
            case .rotate270, .flipHorizontal: (true, false)
            case .rotate180, .transverse: (true, true)
            }
        let swaps = orientation.swapsAxes
        return (
            AxisSampling(
                start: x, length: width, count: swaps ? area.height : area.width, reversed: mirroredAcross),
            AxisSampling(start: y, length: height, count: swaps ? area.width : area.height, reversed: mirroredDown)
        )
    }

    var placement: InputPlacement {
        let (uprightWidth, uprightHeight) = orientation.swapsAxes ? (height, width) : (width, height)
        return InputPlacement(
            scaleX: Double(area.width) / Double(uprightWidth), scaleY: Double(area.height) / Double(uprightHeight),
            offsetX: Double(area.x), offsetY: Double(area.y),
            region: Box(x: Double(x), y: Double(y), width: Double(width), height: Double(height)),
            orientation: orientation)
    }
}

/// Maps output pixels to source pixels along one axis of a region. The position of a pixel is its centre, as in
/// bilinear resizing with half-pixel centres.
struct AxisSampling {
    let start: Int
    let length: Int
    let count: Int
    /// Whether the output is mirrored. The first output pixel is then at the end of the region.
    let reversed: Bool

    /// Returns the two samples between which an output pixel is interpolated: `first` and `first + 1`. They are samples
    /// of a component that is subsampled by 2^`shift` along this axis. `weight` is the weight of the second sample, 0
    /// to below 1. An output pixel before the first sample of the region has the value of the first sample. An output
    /// pixel after the last sample has the value of the last sample.
    func tap(_ output: Int, shift: Int) -> (first: Int, weight: Double) {
        // The position is computed with integers. The weight is then exactly 0 for an output pixel at the position of a
        // sample.
        let number = reversed ? count - 1 - output : output
        let unit = 2 * count << shift
        let position = 2 * start * count + (2 * number + 1) * length - unit / 2
        let samples = self.samples(shift: shift)
        let first = position >= 0 ? position / unit : -1
        guard first >= samples.lowerBound else { return (samples.lowerBound, 0) }
        guard first < samples.upperBound else { return (samples.upperBound, 0) }
        return (first, Double(position % unit) / Double(unit))
    }

    /// Returns the samples that the region covers, for a component that is subsampled by 2^`shift`.
    func samples(shift: Int) -> ClosedRange<Int> {
        (start >> shift)...((start + length - 1) >> shift)
    }
}

/// The area of a network's input that a picture covers, in input pixels. The rest of the input is background.
struct FittedArea: Hashable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
}

extension NetworkInput {
    /// Returns the area of the input that an upright picture covers. The width and height of the picture are in units
    /// of the pixel height, because pixels may not be square.
    ///
    /// The rounding matches the reference implementations of the network families: `letterboxTopLeft` rounds down,
    /// `letterboxCentered` rounds to the nearest pixel.
    func area(width pictureWidth: Double, height pictureHeight: Double) -> FittedArea {
        let ratio = min(Double(width) / pictureWidth, Double(height) / pictureHeight)
        switch fit {
        case .stretch:
            return FittedArea(x: 0, y: 0, width: width, height: height)
        case .letterboxTopLeft:
            // Rounding can make `ratio` slightly too small. Without 5e-7, a size could become one pixel too small.
            return FittedArea(
                x: 0, y: 0, width: min(width, max(1, Int(pictureWidth * ratio + 5e-7))),
                height: min(height, max(1, Int(pictureHeight * ratio + 5e-7))))
        case .letterboxCentered:
            let fittedWidth = min(width, max(1, Int((pictureWidth * ratio).rounded())))
            let fittedHeight = min(height, max(1, Int((pictureHeight * ratio).rounded())))
            return FittedArea(
                x: (width - fittedWidth) / 2, y: (height - fittedHeight) / 2, width: fittedWidth, height: fittedHeight)
        }
    }

    /// The grey level of the area that the picture does not cover.
    var fillLevel: UInt8 {
        switch fit {
        case .stretch: 0
        case .letterboxTopLeft(let fill), .letterboxCentered(let fill): fill
        }
    }
}

/// Computes the offsets of pixels in the input tensor of a network. A plane has one channel of the full picture. In
/// space-to-depth layout, a plane has one channel of one phase. A phase has every second pixel of every second row.
struct TensorOffsets {
    /// The distance in picture pixels between neighbours of the same plane: 1, or 2 in space-to-depth layout.
    let step: Int
    let plane: Int
    private let width: Int

    init(_ input: NetworkInput) {
        step = input.layout == .spaceToDepth ? 2 : 1
        width = input.width / step
        plane = width * (input.height / step)
    }

    /// 3, or 12 in space-to-depth layout. The three channels of a phase are in adjacent planes.
    var planes: Int { 3 * step * step }

    /// Returns the index of a tensor element. Channels are in separate planes even if the layout of the network is
    /// `nhwc`.
    func offset(x: Int, y: Int, channel: Int) -> Int {
        let phase = x % step * step + y % step
        return (phase * 3 + channel) * plane + y / step * width + x / step
    }

    /// Returns how many of the `length` pixels of a row or column are in the same plane as pixel `first`.
    ///
    /// - Parameter first: less than ``step``.
    func count(of length: Int, from first: Int) -> Int { (length - first + step - 1) / step }
}
