/// The format of a network's picture input.
package struct NetworkInput: Hashable, Sendable {
    package enum Layout: Hashable, Sendable {
        case nchw, nhwc
        /// Like `nchw`, but with twelve channels: three channels for each of four phases. A phase is a picture of half
        /// the width and height that has every second pixel of every second row. The order of the phases is: (even row,
        /// even column), (odd row, even column), (even row, odd column), (odd row, odd column). The channels of a phase
        /// are adjacent.
        case spaceToDepth
    }

    package enum ChannelOrder: Hashable, Sendable { case rgb, bgr }

    /// How a picture is scaled to the size of the network's input if the aspect ratios differ.
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
    /// `.float32`, `.uint8` or `.int8`. The values of the last two are rounded and limited to their range.
    package var element: TensorElement
    package var channelOrder: ChannelOrder
    /// The value that is subtracted from the grey levels 0 to 255, for each channel in the order of `channelOrder`.
    package var mean: SIMD3<Float>
    /// The factor by which the grey levels are multiplied after the subtraction of `mean`.
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

    var shape: [Int] {
        switch layout {
        case .nchw: [1, 3, height, width]
        case .nhwc: [1, height, width, 3]
        case .spaceToDepth: [1, 12, height / 2, width / 2]
        }
    }

    /// This input in space-to-depth layout. `nil` if the layout is not `nchw`, or if the width or the height is odd.
    var spaceToDepthInput: NetworkInput? {
        guard layout == .nchw, width % 2 == 0, height % 2 == 0 else { return nil }
        var input = self
        input.layout = .spaceToDepth
        return input
    }

    /// Returns this input in space-to-depth layout if `shape` is the shape of that layout. Otherwise returns this input
    /// unchanged.
    func fitting(_ shape: [Int?]) -> NetworkInput {
        spaceToDepthInput.flatMap { $0.shape == shape ? $0 : nil } ?? self
    }
}

extension NetworkInput {
    /// For logs and lists, for example `300x300 rgb uint8 nchw, stretch`.
    package var summary: String {
        let size = "\(width)x\(height) \(channelOrder) \(element) \(layout), \(fit)"
        return mean == .zero && scale == .one ? size : size + ", minus \(Self.text(mean)) times \(Self.text(scale))"
    }

    private static func text(_ channels: SIMD3<Float>) -> String {
        channels == SIMD3(repeating: channels.x) ? "\(channels.x)" : "(\(channels.x), \(channels.y), \(channels.z))"
    }
}

/// The position and scale of an upright picture within the input of a network.
package struct InputPlacement: Hashable, Sendable {
    /// Input pixels per pixel of the upright picture.
    package let scaleX: Double
    package let scaleY: Double
    /// The position of the upper left corner of the picture in the input, in input pixels.
    package let offsetX: Double
    package let offsetY: Double
    /// The region of the buffer that is converted to the input, in buffer pixels.
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

    /// Maps a box from input pixels to buffer pixels.
    package func buffer(_ box: Box) -> Box {
        let upright = box.offset(x: -offsetX, y: -offsetY).scaled(x: 1 / scaleX, y: 1 / scaleY)
        return orientation.buffer(upright, bufferWidth: region.width, bufferHeight: region.height)
            .offset(x: region.x, y: region.y)
    }
}

/// The mean and the inverse standard deviation of the red, green and blue levels in ImageNet, for levels from 0 to 255.
/// Many PyTorch models use these values to normalise their input.
enum ImageNetStatistics {
    static let mean = SIMD3<Float>(0.485, 0.456, 0.406) * 255
    static let scale = 1 / (SIMD3<Float>(0.229, 0.224, 0.225) * 255)
}
