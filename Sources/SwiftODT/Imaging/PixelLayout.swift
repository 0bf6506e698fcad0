/// The position of one component (Y, U, V or R, G, B).
package struct PixelComponent: Sendable {
    package let plane: Int
    /// The number of samples between the start of a row and the first sample of the component.
    package let offset: Int
    /// The distance between two consecutive samples of the component in a row, in samples.
    package let step: Int
    /// The binary logarithm of the subsampling factor: 0, or 1 for a factor of 2.
    package let shiftX: Int
    package let shiftY: Int

    init(_ plane: Int, _ offset: Int, _ step: Int, _ shiftX: Int = 0, _ shiftY: Int = 0) {
        self.plane = plane
        self.offset = offset
        self.step = step
        self.shiftX = shiftX
        self.shiftY = shiftY
    }
}

/// Y, U and V for YUV formats, R, G and B for RGB formats. For grey formats, all three are the grey component.
package struct PixelComponents: Sendable {
    package let first: PixelComponent
    package let second: PixelComponent
    package let third: PixelComponent
}

package struct PixelLayout: Sendable {
    package enum Colors: Sendable {
        case yuv, rgb, gray
    }

    package let colors: Colors
    package let depth: SampleDepth
    package let components: PixelComponents
    /// In the same plane as the other components. `nil` if the format has no alpha.
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

    /// The components that are stored in memory, including alpha. For grey formats, ``components`` has the grey
    /// component three times, but this list has it once.
    package var stored: [PixelComponent] {
        let color = colors == .gray ? [components.first] : [components.first, components.second, components.third]
        return color + (alpha.map { [$0] } ?? [])
    }

    package var planeCount: Int { max(components.first.plane, components.second.plane, components.third.plane) + 1 }
}

// MARK: - Layout families

extension PixelLayout {
    /// Y, U and V in three planes. `u` and `v` are the plane indices of U and V.
    static func planar(shiftX: Int, shiftY: Int, u: Int = 1, v: Int = 2, _ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.yuv, .init(0, 0, 1), .init(u, 0, 1, shiftX, shiftY), .init(v, 0, 1, shiftX, shiftY), depth)
    }

    /// Y in one plane, U and V interleaved in a second plane. `u` and `v` are the positions of U and V in a pair.
    static func semiplanar(
        shiftX: Int, shiftY: Int, u: Int = 0, v: Int = 1, _ depth: SampleDepth = .byte
    ) -> PixelLayout {
        .init(.yuv, .init(0, 0, 1), .init(1, u, 2, shiftX, shiftY), .init(1, v, 2, shiftX, shiftY), depth)
    }

    /// Packed 4:2:2. Four samples in a row form a group for two pixels, which share U and V. `y`, `u` and `v` are
    /// positions in a group. The luma of the second pixel is at `y + 2`.
    static func paired(y: Int, u: Int, v: Int, _ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.yuv, .init(0, y, 2), .init(0, u, 4, 1), .init(0, v, 4, 1), depth)
    }

    /// All samples of a pixel interleaved in one plane. `first`, `second` and `third` are the positions of the
    /// components in a pixel of `step` samples.
    static func packed(
        _ colors: Colors, _ first: Int, _ second: Int, _ third: Int, of step: Int, alpha: Int? = nil,
        _ depth: SampleDepth = .byte
    ) -> PixelLayout {
        .init(
            colors, .init(0, first, step), .init(0, second, step), .init(0, third, step),
            alpha: alpha.map { .init(0, $0, step) }, depth)
    }

    /// Red, green and blue in three planes. Green is in the first plane.
    static func planarRGB(_ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.rgb, .init(2, 0, 1), .init(0, 0, 1), .init(1, 0, 1), depth)
    }

    static func gray(_ depth: SampleDepth = .byte) -> PixelLayout {
        .init(.gray, .init(0, 0, 1), .init(0, 0, 1), .init(0, 0, 1), depth)
    }
}

package struct PlaneExtent: Sendable {
    /// Without padding.
    package let rowBytes: Int
    package let rows: Int
}

extension PixelFormat {
    /// Returns the size of one plane. `width` and `height` are in pixels of the picture.
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

/// The number of bits of a sample, and their position in the byte or 16-bit word of the sample.
package struct SampleDepth: Hashable, Sendable {
    /// From 8 to 16.
    package let bits: Int
    /// The number of unused bits below the sample.
    package let shift: Int

    package static let byte = SampleDepth(bits: 8, shift: 0)

    /// Samples in the low bits of 16-bit words, as in I420_10LE.
    package static func low(_ bits: Int) -> SampleDepth { SampleDepth(bits: bits, shift: 0) }

    /// Samples in the high bits of 16-bit words, as in P010_10LE.
    package static func high(_ bits: Int) -> SampleDepth { SampleDepth(bits: bits, shift: 16 - bits) }
}

extension SampleDepth {
    package var bytes: Int { bits > 8 ? 2 : 1 }

    /// The maximum value of a sample: white in full-range video.
    package var white: Int { 1 << bits - 1 }

    /// The number of unused bits above the sample.
    var headroom: Int { 8 * bytes - bits - shift }

    /// Returns how many units of a sample correspond to one 8-bit level, if two-byte samples are shifted to 14 bits. In
    /// limited range, the result is 64, because black and white are exactly 64 times their 8-bit values. In full range,
    /// the result is up to 64.25.
    func unitOf14Bits(fullRange: Bool) -> Float {
        guard fullRange else { return 64 }
        return Float((white << (16 - bits)) >> 2) / 255
    }
}
