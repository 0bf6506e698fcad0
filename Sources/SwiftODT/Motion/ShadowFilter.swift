/// Removes shadows from the foreground. A shadow is an area that has become uniformly darker, in which the texture of
/// the ground is still visible. The ground is the surface that the background model shows.
///
/// On ground without texture, a shadow looks like a dark object. Such an area is removed only if it is connected to
/// another object.
final class ShadowFilter {
    private enum Kind {
        static let none: UInt8 = 0
        /// A certain shadow: the area is darker, and the texture of the ground is visible in it.
        static let certain: UInt8 = 1
        /// A possible shadow: the area is darker, but neither the area nor the ground has texture.
        static let possible: UInt8 = 2
    }

    /// Whether each pixel's own noise is used instead of the frame's mean noise.
    private var usesPlaces = false
    private let kinds: PixelGrid<UInt8>
    private var counts: [(certain: Int, other: Int, otherStrong: Int)] = []

    /// The minimum brightness of a shadow, relative to the ground.
    private static let darkest: Float = 0.4
    /// The maximum brightness of a shadow, relative to the ground.
    private static let lightest: Float = 0.96
    /// The minimum grey level of the ground. On darker ground, shadows cannot be distinguished from noise.
    private static let minimumGround: Float = 24
    /// The radius in pixels of the neighbourhood whose texture is compared with the texture of the ground.
    private static let reach = 2
    /// A shadow has a blurred border, which is removed with the shadow. The border extends at most this number of
    /// pixels beyond the shadow, along each axis.
    private static let rim = 3
    /// The safety factor for a pixel's own noise, which may be underestimated.
    private static let margin: Float = 1.3
    /// The minimum fraction of pixels without shadow in a region. With a smaller fraction, the region may be a dark
    /// object, so its possible shadows are kept.
    private static let minimumObjectShare = 0.1

    init(width: Int, height: Int) {
        kinds = PixelGrid(width: width, height: height, filled: Kind.none)
    }

    /// Clears the pixels of shadows in `marks`. Returns whether any pixel was cleared. If `true`, the regions must be
    /// labelled again. With `locally`, the noise of each pixel is used instead of the mean noise of the frame.
    func clear(
        _ marks: PixelGrid<UInt8>, of labeler: RegionLabeler, _ background: BackgroundModel,
        _ pixels: UnsafePointer<UInt8>, locally: Bool = false
    ) -> Bool {
        usesPlaces = locally
        kinds.fill(Kind.none)
        var found = 0
        labeler.forEachPixel(of: marks) { _, x, y, index in
            let kind = kind(x, y, index, background, pixels)
            kinds.base[index] = kind
            if kind != Kind.none { found += 1 }
        }
        guard found > 0 else { return false }
        counts = Array(repeating: (0, 0, 0), count: labeler.regions.count)
        labeler.forEachPixel(of: marks) { region, x, y, index in
            switch reached(x, y, index, background) {
            case Kind.none:
                counts[region].other += 1
                if marks.base[index] & 2 != 0 { counts[region].otherStrong += 1 }
            case Kind.certain: counts[region].certain += 1
            default: break
            }
        }
        var cleared = false
        labeler.forEachPixel(of: marks) { region, x, y, index in
            let area = labeler.regions[region].area
            let count = counts[region]
            let hasObject = Double(count.other) >= Self.minimumObjectShare * Double(area) && count.otherStrong > 4
            let isShadow = count.certain * 2 > area
            if isShadow || hasObject, reached(x, y, index, background) != Kind.none {
                marks.base[index] = 0
                cleared = true
            }
        }
        return cleared
    }

    /// Returns the kind of shadow at a pixel. A pixel at the blurred border of a shadow has the kind of a nearby shadow
    /// pixel.
    private func reached(_ x: Int, _ y: Int, _ index: Int, _ background: BackgroundModel) -> UInt8 {
        let own = kinds.base[index]
        let smoothed = background.smoothed.base
        guard own == Kind.none, smoothed[index] < 0 else { return own }
        let width = background.width
        for row in max(0, y - Self.rim)...min(background.height - 1, y + Self.rim) {
            for column in max(0, x - Self.rim)...min(width - 1, x + Self.rim) {
                let near = kinds.base[row * width + column]
                // The border of a shadow differs less from the ground than the shadow's inside. A pixel that differs
                // more does not belong to the shadow.
                if near != Kind.none, abs(smoothed[index]) < 1.15 * abs(smoothed[row * width + column]) {
                    return near
                }
            }
        }
        return Kind.none
    }

    /// Returns the noise of a pixel relative to the mean noise of the frame, at most 1. The result is low for a quiet
    /// pixel if water or leaves elsewhere in the picture raise the mean.
    private func noiseScale(_ index: Int, _ background: BackgroundModel) -> Float {
        min(1, Self.margin * background.noise.base[index] / max(background.typicalNoise, 0.1))
    }

    private func kind(
        _ x: Int, _ y: Int, _ index: Int, _ background: BackgroundModel, _ pixels: UnsafePointer<UInt8>
    ) -> UInt8 {
        let (width, height) = (background.width, background.height)
        let ground = background.expected.base
        guard background.smoothed.base[index] < 0, ground[index] >= Self.minimumGround else {
            return Kind.none
        }
        var (n, g, s, gg, ss, gs): (Float, Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0, 0)
        for row in max(0, y - Self.reach)...min(height - 1, y + Self.reach) {
            for column in max(0, x - Self.reach)...min(width - 1, x + Self.reach) {
                let i = row * width + column
                let (level, seen) = (ground[i], Float(pixels[i]))
                n += 1
                g += level
                s += seen
                gg += level * level
                ss += seen * seen
                gs += level * seen
            }
        }
        let ratio = s / max(g, 1)
        guard (Self.darkest...Self.lightest).contains(ratio) else { return Kind.none }
        let error = max(0, ss - 2 * ratio * gs + ratio * ratio * gg) / n
        // The expected standard deviation due to noise, in grey levels. It is 1.25 times the mean absolute difference.
        let noise = 1.25 * background.typicalUnsmoothedNoise * (usesPlaces ? noiseScale(index, background) : 1)
        let bearable = 1.5 * noise + 0.8
        guard error < bearable * bearable else { return Kind.none }
        let texture = ratio * ratio * max(0, gg / n - (g / n) * (g / n))
        return texture > 6 * bearable * bearable ? Kind.certain : Kind.possible
    }
}
