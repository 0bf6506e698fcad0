/// The input format of a network: size, layout, element type, normalisation and fit.
package struct NetworkInput: Hashable, Sendable {
    /// The order of a tensor's dimensions.
    package enum Layout: Hashable, Sendable {
        case nchw, nhwc
        /// Like `nchw`, but with the channels of four phase images of half the width and height. The phases are ordered
        /// as (even row, even column), (odd row, even column), (even row, odd column), (odd row, odd column). All
        /// channels of one phase precede those of the next.
        case spaceToDepth
    }

    /// The order of the colour channels.
    package enum ChannelOrder: Hashable, Sendable { case rgb, bgr }

    /// How a picture with another aspect ratio is scaled to the network's size.
    package enum Fit: Hashable, Sendable {
        /// Scales each axis independently. The picture is distorted and fills the input.
        case stretch
        /// Scales both axes equally, aligns the picture at the top left, and fills the rest with a grey level.
        case letterboxTopLeft(fill: UInt8)
        /// Scales both axes equally, centres the picture, and fills the rest with a grey level.
        case letterboxCentered(fill: UInt8)
    }

    package var width: Int
    package var height: Int
    package var layout: Layout
    /// `.uint8` or `.float32`, the element type of the input. `.uint8` requires a mean of 0 and a scale of 1.
    package var element: TensorElement
    package var channelOrder: ChannelOrder
    /// Subtracted from the grey levels 0...255, per channel in `channelOrder`.
    package var mean: SIMD3<Float>
    /// Multiplied with the levels after `mean` has been subtracted.
    package var scale: SIMD3<Float>
    package var fit: Fit

    package init(
        width: Int, height: Int, layout: Layout = .nchw, element: TensorElement = .float32,
        channelOrder: ChannelOrder = .rgb, mean: SIMD3<Float> = .zero, scale: SIMD3<Float> = .one,
        fit: Fit = .stretch
    ) {
        self.width = width
        self.height = height
        self.layout = layout
        self.element = element
        self.channelOrder = channelOrder
        self.mean = mean
        self.scale = scale
        self.fit = fit
    }

    /// The shape of the input tensor.
    var shape: [Int] {
        switch layout {
        case .nchw: [1, 3, height, width]
        case .nhwc: [1, height, width, 3]
        case .spaceToDepth: [1, 12, height / 2, width / 2]
        }
    }

    /// Returns this input in space-to-depth layout, or `nil` if its layout or size does not permit that.
    var spaceToDepthInput: NetworkInput? {
        guard layout == .nchw, width % 2 == 0, height % 2 == 0 else { return nil }
        var input = self
        input.layout = .spaceToDepth
        return input
    }

    /// Returns this input in space-to-depth layout if that has the given shape; otherwise returns it unchanged.
    func fitting(_ shape: [Int?]) -> NetworkInput {
        spaceToDepthInput.flatMap { $0.shape == shape ? $0 : nil } ?? self
    }
}

extension NetworkInput {
    /// A description for logs, for example `300x300 rgb uint8 nchw, stretch`.
    var summary: String {
        let size = "\(width)x\(height) \(channelOrder) \(element) \(layout), \(fit)"
        return mean == .zero && scale == .one ? size : size + ", minus \(Self.text(mean)) times \(Self.text(scale))"
    }

    private static func text(_ channels: SIMD3<Float>) -> String {
        channels == SIMD3(repeating: channels.x) ? "\(channels.x)" : "(\(channels.x), \(channels.y), \(channels.z))"
    }
}

/// The position of the upright picture within a network's input. It maps boxes from network to buffer coordinates.
package struct InputPlacement: Hashable, Sendable {
    /// Input pixels per pixel of the upright picture, horizontally and vertically.
    package let scaleX: Double
    package let scaleY: Double
    /// Position of the picture's upper left corner in the input, in input pixels.
    package let offsetX: Double
    package let offsetY: Double
    /// The region of the buffer that was used as input: the full frame or a crop.
    package let region: Box
    package let orientation: Orientation

    package init(
        scaleX: Double, scaleY: Double, offsetX: Double, offsetY: Double, region: Box, orientation: Orientation
    ) {
        self.scaleX = scaleX
        self.scaleY = scaleY
        self.offsetX = offsetX
        self.offsetY = offsetY
        self.region = region
        self.orientation = orientation
    }

    /// Maps a box from network input pixels to buffer pixels.
    package func buffer(_ box: Box) -> Box {
        let upright = box.offset(x: -offsetX, y: -offsetY).scaled(x: 1 / scaleX, y: 1 / scaleY)
        return orientation.buffer(upright, bufferWidth: region.width, bufferHeight: region.height)
            .offset(x: region.x, y: region.y)
    }
}
