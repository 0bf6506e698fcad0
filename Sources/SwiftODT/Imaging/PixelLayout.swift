/// The location of one component (Y, U, V or R, G, B) within its plane.
package struct PixelComponent: Sendable {
    /// Index of the plane.
    package let plane: Int
    /// Samples from the start of a row to the component's first sample.
    package let offset: Int
    /// Samples from one sample of the component to its next.
    package let step: Int
    /// Horizontal subsampling as a power of two (0 or 1).
    package let shiftX: Int
    /// Vertical subsampling as a power of two (0 or 1).
    package let shiftY: Int

    init(_ plane: Int, _ offset: Int, _ step: Int, _ shiftX: Int = 0, _ shiftY: Int = 0) {
        self.plane = plane
        self.offset = offset
        self.step = step
        self.shiftX = shiftX
        self.shiftY = shiftY
    }
}

/// The three components of a pixel: Y, U, V for YUV formats; R, G, B for RGB formats; the same sample three times for
/// grey formats.
package struct PixelComponents: Sendable {
    package let first: PixelComponent
    package let second: PixelComponent
    package let third: PixelComponent
}

/// The memory layout of a pixel format: colour model, sample depth and component locations.
package struct PixelLayout: Sendable {
    /// The colour model of a pixel format.
    package enum Colors: Sendable {
        case yuv, rgb, gray
    }

    package let colors: Colors
    package let depth: SampleDepth
    package let components: PixelComponents
    /// The alpha component, if the format has one. It shares a plane with the other components.
    package let alpha: PixelComponent?

    init(
        _ colors: Colors, _ first: PixelComponent, _ second: PixelComponent, _ third: PixelComponent,
        alpha: PixelComponent? = nil, _ depth: SampleDepth
    ) {
        self.colors = colors
        self.depth = depth
        components = PixelComponents(first: first, second: second, third: third)
        self.alpha = alpha
    }

    package var planeCount: Int { max(components.first.plane, components.second.plane, components.third.plane) + 1 }
}

// MARK: - Layout families

extension PixelLayout {
    /// Y, U and V in three planes.
    static func planar(shiftX: Int, shiftY: Int, u: Int = 1, v: Int = 2, _ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.yuv, .init(0, 0, 1), .init(u, 0, 1, shiftX, shiftY), .init(v, 0, 1, shiftX, shiftY), depth)
    }

    /// Y in one plane, U and V interleaved in a second one.
    static func semiplanar(
        shiftX: Int, shiftY: Int, u: Int = 0, v: Int = 1, _ depth: SampleDepth = .byte
    ) -> PixelLayout {
        .init(.yuv, .init(0, 0, 1), .init(1, u, 2, shiftX, shiftY), .init(1, v, 2, shiftX, shiftY), depth)
    }

    /// Packed 4:2:2: four samples hold two pixels. `y` is the offset of the first luma sample, and `y + 2` of the
    /// second; both pixels share U and V.
    static func paired(y: Int, u: Int, v: Int, _ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.yuv, .init(0, y, 2), .init(0, u, 4, 1), .init(0, v, 4, 1), depth)
    }

    /// All samples of a pixel interleaved in one plane.
    static func packed(
        _ colors: Colors, _ first: Int, _ second: Int, _ third: Int, of step: Int, alpha: Int? = nil,
        _ depth: SampleDepth = .byte
    ) -> PixelLayout {
        .init(
            colors, .init(0, first, step), .init(0, second, step), .init(0, third, step),
            alpha: alpha.map { .init(0, $0, step) }, depth)
    }

    /// Red, green and blue in three planes, with green first.
    static func planarRGB(_ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.rgb, .init(2, 0, 1), .init(0, 0, 1), .init(1, 0, 1), depth)
    }

    static func gray(_ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.gray, .init(0, 0, 1), .init(0, 0, 1), .init(0, 0, 1), depth)
    }
}

/// The size of the picture data in one plane.
package struct PlaneExtent: Sendable {
    /// Bytes per row, without padding.
    package let rowBytes: Int
    package let rows: Int
}

extension PixelFormat {
    /// Returns the size of one plane of a picture with the given dimensions.
    package func extent(ofPlane plane: Int, width: Int, height: Int) -> PlaneExtent {
        let components = components
        var rowBytes = 0
        var rows = 0
        for component in [components.first, components.second, components.third] where component.plane == plane {
            let across = (width + (1 << component.shiftX) - 1) >> component.shiftX
            let down = (height + (1 << component.shiftY) - 1) >> component.shiftY
            rowBytes = max(rowBytes, across * component.step * depth.bytes)
            rows = max(rows, down)
        }
        return PlaneExtent(rowBytes: rowBytes, rows: rows)
    }
}

/// The number of bits of a sample, and their position in its byte or word.
package struct SampleDepth: Hashable, Sendable {
    /// Bits per sample, 8 to 16.
    package let bits: Int
    /// Number of unused bits below the sample.
    package let shift: Int

    /// 8-bit samples.
    package static let byte = SampleDepth(bits: 8, shift: 0)

    /// Samples in the low bits of a 16-bit word, as in I420_10LE.
    package static func low(_ bits: Int) -> SampleDepth { SampleDepth(bits: bits, shift: 0) }

    /// Samples in the high bits of a 16-bit word, as in P010_10LE.
    package static func high(_ bits: Int) -> SampleDepth { SampleDepth(bits: bits, shift: 16 - bits) }
}

extension SampleDepth {
    /// Bytes per sample.
    package var bytes: Int { bits > 8 ? 2 : 1 }

    /// The maximum sample value, which is white in full range.
    package var white: Int { 1 << bits - 1 }

    /// Number of unused bits above the sample.
    var headroom: Int { 8 * bytes - bits - shift }

    /// Returns the size of one grey level in two-byte samples normalised to 14 bits. Limited range keeps the 8-bit
    /// positions of black and white, so it is exactly 64; full range ends slightly later.
    func unitOf14Bits(fullRange: Bool) -> Float {
        guard fullRange else { return 64 }
        return Float((white << (16 - bits)) >> 2) / 255
    }
}
