/// How a picture enters a network: size, layout, number type, normalisation and how it is fitted in.
public struct NetworkInput: Hashable, Sendable {
    public enum Layout: Hashable, Sendable {
        case nchw, nhwc
        /// As nchw, but each channel in four quarters of half the width and height: the pixels that begin with the picture's first in
        /// every second column of every second row, those below them, those right of them, and those across. All channels of a
        /// quarter come before those of the next.
        case spaceToDepth
    }

    public enum ChannelOrder: Hashable, Sendable { case rgb, bgr }

    /// How a picture of another shape is brought to the network's size.
    public enum Fit: Hashable, Sendable {
        /// Each axis on its own: the picture is distorted, nothing is left empty.
        case stretch
        /// Evenly, the rest filled with a grey level; the picture lies at the top left.
        case letterboxTopLeft(fill: UInt8)
        /// Evenly, the rest filled with a grey level; the picture lies in the middle.
        case letterboxCentered(fill: UInt8)
    }

    public var width: Int
    public var height: Int
    public var layout: Layout
    /// `.uint8` or `.float32`: what the network is fed. With `.uint8` mean and scale are 0 and 1.
    public var element: TensorElement
    public var channelOrder: ChannelOrder
    /// Subtracted from the grey levels 0...255, by channel in `channelOrder`.
    public var mean: SIMD3<Float>
    /// Multiplied afterwards.
    public var scale: SIMD3<Float>
    public var fit: Fit

    public init(
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

    /// That of the network's input.
    var shape: [Int] {
        switch layout {
        case .nchw: [1, 3, height, width]
        case .nhwc: [1, height, width, 3]
        case .spaceToDepth: [1, 12, height / 2, width / 2]
        }
    }

    /// The same in quarters, where that can be.
    var spaceToDepthInput: NetworkInput? {
        guard layout == .nchw, width % 2 == 0, height % 2 == 0 else { return nil }
        var input = self
        input.layout = .spaceToDepth
        return input
    }

    /// The same in quarters if that gives the shape.
    func fitting(_ shape: [Int?]) -> NetworkInput {
        spaceToDepthInput.flatMap { $0.shape == shape ? $0 : nil } ?? self
    }
}

extension NetworkInput {
    /// As people read it, such as `300x300 rgb uint8 nchw, stretch`.
    var summary: String {
        let size = "\(width)x\(height) \(channelOrder) \(element) \(layout), \(fit)"
        return mean == .zero && scale == .one ? size : size + ", minus \(Self.text(mean)) times \(Self.text(scale))"
    }

    private static func text(_ channels: SIMD3<Float>) -> String {
        channels == SIMD3(repeating: channels.x) ? "\(channels.x)" : "(\(channels.x), \(channels.y), \(channels.z))"
    }
}

/// Where the (upright) picture came to lie in a network's input: the way back from network to buffer coordinates.
public struct InputPlacement: Hashable, Sendable {
    /// Input pixels a pixel of the upright picture takes up, across and down.
    public let scaleX: Double
    public let scaleY: Double
    /// Where the picture's upper left corner lies in the input, in input pixels.
    public let offsetX: Double
    public let offsetY: Double
    /// The part of the buffer that was looked at: all of it, or a crop.
    public let region: Box
    public let orientation: Orientation

    public init(
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
    public func buffer(_ box: Box) -> Box {
        let upright = box.offset(x: -offsetX, y: -offsetY).scaled(x: 1 / scaleX, y: 1 / scaleY)
        return orientation.buffer(upright, bufferWidth: region.width, bufferHeight: region.height)
            .offset(x: region.x, y: region.y)
    }
}
