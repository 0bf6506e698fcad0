/// Tells a scene with something moving in it from a camera that moves and from a cut, and waits until the picture stands
/// still again.
struct SceneStability {
    enum Verdict {
        /// The background holds.
        case steady
        /// The background was begun anew lately; what it shows is not to be trusted yet.
        case settling
        /// The same, and it differs from what is seen all over the picture.
        case drifting
        /// The background no longer has to do with what is seen.
        case changed
    }

    private var steadyTime: Float = 0
    private var settlingTime = Self.minimumSettlingTime
    private var isSteady = false
    private var steadyFor: Float = 0

    /// Seconds of stillness it takes to trust a background; doubled for cameras that keep moving.
    private static let minimumSettlingTime: Float = 0.4
    private static let maximumSettlingTime: Float = 3.2
    /// Steady for so long, a scene is given the least patience again.
    private static let trustAfter: Float = 5
    /// Judges the frame that `background` has just compared, `elapsed` seconds after the one before.
    mutating func judge(_ background: BackgroundModel, elapsed: Float) -> Verdict {
        let inspection = BackgroundSurvey(background)
        if inspection.isLost {
            if isSteady {
                settlingTime = steadyFor < Self.trustAfter ? min(settlingTime * 2, Self.maximumSettlingTime) : Self.minimumSettlingTime
            }
            isSteady = false
            steadyFor = 0
            steadyTime = 0
            return .changed
        }
        if isSteady {
            steadyFor += elapsed
            return .steady
        }
        steadyTime += elapsed
        isSteady = steadyTime >= settlingTime && !inspection.isWorn
        return isSteady ? .steady : inspection.isWorn ? .drifting : .settling
    }
}

/// How much of the background is still to be seen, part by part of the picture.
private struct BackgroundSurvey {
    /// The background has nothing to do any more with what is seen.
    private(set) var isLost = false
    /// Something differs in too many parts to be a few objects.
    private(set) var isWorn = false

    /// Share of the picture that may be covered.
    private static let maximumCovered: Float = 0.5
    /// The picture is divided into so many parts across and down.
    private static let across = 6
    private static let down = 4
    /// Share of a part that has to be edges for the part to have a say.
    private static let minimumEdgeShare: Float = 0.02
    /// Share of a part's edges that are gone when the part is torn. Edges go with the camera, but not with an object.
    private static let maximumEdgesGone: Float = 0.3
    /// Share of all parts that need to have a say.
    private static let minimumBlockShare = 0.25
    /// Share of the parts that may be torn.
    private static let maximumTornShare = 0.5

    /// Share of a part that is covered when the part is worn, and share of the parts that may be.
    private static let minimumWear: Float = 0.02
    private static let maximumWornShare = 0.4

    init(_ background: BackgroundModel) {
        let parts = (0..<Self.across * Self.down).map { index in
            Part(background, column: index % Self.across, of: Self.across, row: index / Self.across, of: Self.down)
        }
        let covered = parts.reduce(0) { $0 + $1.covered }
        let pixels = parts.reduce(0) { $0 + $1.pixels }
        let voices = parts.filter { $0.edges >= max(2, Self.minimumEdgeShare * $0.pixels) }
        let torn = voices.filter { $0.edgesGone > Self.maximumEdgesGone * $0.edges }
        let isTorn =
            Double(voices.count) >= Self.minimumBlockShare * Double(parts.count)
            && Double(torn.count) > Self.maximumTornShare * Double(voices.count)
        isLost = covered > Self.maximumCovered * pixels || isTorn
        let worn = parts.filter { $0.covered > Self.minimumWear * $0.pixels }
        isWorn = Double(worn.count) > Self.maximumWornShare * Double(parts.count)
    }
}

/// What a sample of the pixels in a part of the picture says.
private struct Part {
    var pixels: Float = 0
    var covered: Float = 0
    /// Pixels at edges of the background, and those of them that are covered.
    var edges: Float = 0
    var edgesGone: Float = 0

    init(_ background: BackgroundModel, column: Int, of columns: Int, row: Int, of rows: Int) {
        let (level, marks) = (background.level.base, background.marks.base)
        let (width, height) = (background.width, background.height)
        let edge = 24 + 6 * background.typicalNoise
        for y in stride(from: max(1, row * height / rows), to: min(height - 1, (row + 1) * height / rows), by: 2) {
            var x = max(1, column * width / columns)
            let end = min(width - 1, (column + 1) * width / columns)
            while x < end {
                let i = y * width + x
                let isCovered: Float = marks[i] != 0 ? 1 : 0
                pixels += 1
                covered += isCovered
                if abs(level[i + 1] - level[i - 1]) + abs(level[i + width] - level[i - width]) > edge {
                    edges += 1
                    edgesGone += isCovered
                }
                x += 2
            }
        }
    }
}
