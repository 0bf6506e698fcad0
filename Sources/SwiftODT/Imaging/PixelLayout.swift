/// Where one component (Y, U, V or R, G, B) of a pixel lies in its plane.
public struct PixelComponent: Sendable {
    /// The plane that holds it.
    public let plane: Int
    /// Samples from the start of a row to its first one.
    public let offset: Int
    /// Samples from one of its own to the next.
    public let step: Int
    /// How often the component is halved across (0 or 1).
    public let shiftX: Int
    /// How often the component is halved down (0 or 1).
    public let shiftY: Int

    init(_ plane: Int, _ offset: Int, _ step: Int, _ shiftX: Int = 0, _ shiftY: Int = 0) {
        self.plane = plane
        self.offset = offset
        self.step = step
        self.shiftX = shiftX
        self.shiftY = shiftY
    }
}

/// The three components of a pixel: Y, U, V for YUV formats, R, G, B for RGB ones, the same sample thrice for grey.
public struct PixelComponents: Sendable {
    public let first: PixelComponent
    public let second: PixelComponent
    public let third: PixelComponent
}

/// What a format is made of: which colours, how wide the samples, and where each lies.
public struct PixelLayout: Sendable {
    public enum Colors: Sendable {
        case yuv, rgb, gray
    }

    public let colors: Colors
    public let depth: SampleDepth
    public let components: PixelComponents
    /// In the formats that have one. It lies among the components.
    public let alpha: PixelComponent?

    init(
        _ colors: Colors, _ first: PixelComponent, _ second: PixelComponent, _ third: PixelComponent,
        alpha: PixelComponent? = nil, _ depth: SampleDepth
    ) {
        self.colors = colors
        self.depth = depth
        components = PixelComponents(first: first, second: second, third: third)
        self.alpha = alpha
    }

    public var planeCount: Int { max(components.first.plane, components.second.plane, components.third.plane) + 1 }
}

// MARK: - The kinds of layout that there are

extension PixelLayout {
    /// Y, U and V in planes of their own.
    static func planar(shiftX: Int, shiftY: Int, u: Int = 1, v: Int = 2, _ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.yuv, .init(0, 0, 1), .init(u, 0, 1, shiftX, shiftY), .init(v, 0, 1, shiftX, shiftY), depth)
    }

    /// Y in a plane of its own, U and V side by side in another.
    static func semiplanar(
        shiftX: Int, shiftY: Int, u: Int = 0, v: Int = 1, _ depth: SampleDepth = .byte
    ) -> PixelLayout {
        .init(.yuv, .init(0, 0, 1), .init(1, u, 2, shiftX, shiftY), .init(1, v, 2, shiftX, shiftY), depth)
    }

    /// Two pixels in four samples: `y` and the one two further, and between them U and V, which both pixels share.
    static func paired(y: Int, u: Int, v: Int, _ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.yuv, .init(0, y, 2), .init(0, u, 4, 1), .init(0, v, 4, 1), depth)
    }

    /// A pixel's samples side by side.
    static func packed(
        _ colors: Colors, _ first: Int, _ second: Int, _ third: Int, of step: Int, alpha: Int? = nil,
        _ depth: SampleDepth = .byte
    ) -> PixelLayout {
        .init(
            colors, .init(0, first, step), .init(0, second, step), .init(0, third, step),
            alpha: alpha.map { .init(0, $0, step) }, depth)
    }

    /// Red, green and blue in planes of their own; green comes first.
    static func planarRGB(_ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.rgb, .init(2, 0, 1), .init(0, 0, 1), .init(1, 0, 1), depth)
    }

    static func gray(_ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.gray, .init(0, 0, 1), .init(0, 0, 1), .init(0, 0, 1), depth)
    }
}
