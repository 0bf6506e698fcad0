/// Takes away marks that are shadows: places that only became darker, evenly, with the ground still to be seen.
///
/// On plain ground a shadow looks like a plain dark thing. It is then taken for a shadow only where it hangs on something
/// that is none.
final class ShadowFilter {
    private enum Kind {
        static let none: UInt8 = 0
        /// The ground's texture shows through.
        static let certain: UInt8 = 1
        /// As even as the ground is.
        static let possible: UInt8 = 2
    }

    /// What light does to the ground.
    enum Effect {
        /// Shadows.
        case darker
        /// Lamps and patches of sun. On plain ground they look like plain light things, and are taken for these.
        case lighter
    }

    private let effect: Effect
    /// Whether each place has its own noise, or all have the picture's.
    private var usesPlaces = false
    private let kinds: PixelGrid<UInt8>
    private var counts: [(certain: Int, other: Int, otherStrong: Int)] = []

    /// How dark and how light a shadow may be, as a share of the light on the ground.
    private static let darkest: Float = 0.4
    private static let lightest: Float = 0.96
    /// The same of what is lit.
    private static let minimumLit: Float = 1.04
    private static let maximumLit: Float = 2.5
    /// A ground darker than this shows no shadows.
    private static let minimumGround: Float = 24
    /// How far around a pixel its ground is compared, and how far from there a shadow's border may lie.
    private static let reach = 2
    private static let rim = 3
    /// By this much the noise of a place may have been measured too low.
    private static let margin: Float = 1.3
    /// Share of a region that must be no shadow for the rest to be taken away.
    private static let minimumObjectShare = 0.1

    init(width: Int, height: Int, of effect: Effect = .darker) {
        self.effect = effect
        kinds = PixelGrid(width: width, height: height, filled: Kind.none)
    }

    /// Clears the shadows' pixels in `marks`.
    ///
    /// - Parameter locally: whether the noise of each place counts, not that of the picture as a whole.
    /// - Returns: whether there were any, so that the regions have to be found again.
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

    /// The kind of the pixel, or that of a near one where the pixel itself lies at the shadow's border.
    private func reached(_ x: Int, _ y: Int, _ index: Int, _ background: BackgroundModel) -> UInt8 {
        let own = kinds.base[index]
        let smoothed = background.smoothed.base
        guard own == Kind.none, isMeant(smoothed[index]) else { return own }
        let width = background.width
        for row in max(0, y - Self.rim)...min(background.height - 1, y + Self.rim) {
            for column in max(0, x - Self.rim)...min(width - 1, x + Self.rim) {
                let near = kinds.base[row * width + column]
                // A border differs less than the shadow it belongs to; what differs more is something else.
                if near != Kind.none, abs(smoothed[index]) < 1.15 * abs(smoothed[row * width + column]) {
                    return near
                }
            }
        }
        return Kind.none
    }

    /// Where the place itself is quieter than the picture as a whole, which water or leaves may make restless: how quiet, as a share.
    private func noiseScale(_ index: Int, _ background: BackgroundModel) -> Float {
        min(1, Self.margin * background.noise.base[index] / max(background.typicalNoise, 0.1))
    }

    private func isMeant(_ difference: Float) -> Bool { effect == .darker ? difference < 0 : difference > 0 }

    private func kind(
        _ x: Int, _ y: Int, _ index: Int, _ background: BackgroundModel, _ pixels: UnsafePointer<UInt8>
    ) -> UInt8 {
        let (width, height) = (background.width, background.height)
        let ground = background.expected.base
        guard isMeant(background.smoothed.base[index]), ground[index] >= Self.minimumGround else { return Kind.none }
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
        let range = effect == .darker ? Self.darkest...Self.lightest : Self.minimumLit...Self.maximumLit
        guard range.contains(ratio) else { return Kind.none }
        let error = max(0, ss - 2 * ratio * gs + ratio * ratio * gg) / n
        // What noise explains; the plain difference's mean size times 1.25 is its deviation.
        let noise = 1.25 * background.typicalUnsmoothedNoise * (usesPlaces ? noiseScale(index, background) : 1)
        let bearable = 1.5 * noise + 0.8
        guard error < bearable * bearable else { return Kind.none }
        let texture = ratio * ratio * max(0, gg / n - (g / n) * (g / n))
        if texture > 6 * bearable * bearable { return Kind.certain }
        return effect == .darker ? Kind.possible : Kind.none
    }
}
