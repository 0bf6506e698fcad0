/// All parameters of the mapping from a frame's pixels to a network's input.
struct InputGeometry: Hashable {
    let format: PixelFormat
    let orientation: Orientation
    let colorSpace: ColorSpace
    /// The inferred region, in whole buffer pixels.
    let x: Int
    let y: Int
    let width: Int
    let height: Int
    /// The area of the input that the upright region covers.
    let area: FittedArea

    /// - Parameter region: in buffer pixels; `nil` for the full frame. It is clipped to the frame and enlarged to whole
    ///   pixels.
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

        let ratio = frame.pixelAspectRatio
        let shownWidth = Double(width) * (ratio.isFinite && ratio > 0 ? min(max(ratio, 1e-3), 1e3) : 1)
        area =
            orientation.swapsAxes
            ? input.area(width: Double(height), height: shownWidth)
            : input.area(width: shownWidth, height: Double(height))
    }

    /// The mapping from outputs to source pixels along the buffer's rows (`across`) and columns (`down`).
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
