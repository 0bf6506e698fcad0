/// Tells a scene with something moving in it from a camera that moves and from a cut, and waits until the picture stands
/// still again.
struct SceneWatch {
    enum Verdict {
        /// The background holds.
        case steady
        /// The background was begun anew lately; what it shows is not to be trusted yet.
        case settling
        /// The background no longer has to do with what is seen.
        case changed
    }

    private var quiet: Float = 0
    private var patience = Self.leastPatience
    private var isSteady = false
    private var steadyFor: Float = 0

    /// Seconds of stillness it takes to trust a background; doubled for cameras that keep moving.
    private static let leastPatience: Float = 0.4
    private static let mostPatience: Float = 3.2
    /// Steady for so long, a scene is given the least patience again.
    private static let trustAfter: Float = 5
    /// Share of the picture that may be covered.
    private static let mostCovered: Float = 0.5
    /// Share of the background's edges that may be covered: they move with the camera, but not with an object.
    private static let mostEdgesCovered: Float = 0.6
    /// Share of the picture that has to be edges for them to have a say.
    private static let fewestEdges: Float = 0.01

    /// Judges the frame that `background` has just compared, `elapsed` seconds after the one before.
    mutating func judge(_ background: BackgroundModel, elapsed: Float) -> Verdict {
        if Self.isLost(background) {
            if isSteady {
                patience = steadyFor < Self.trustAfter ? min(patience * 2, Self.mostPatience) : Self.leastPatience
            }
            isSteady = false
            steadyFor = 0
            quiet = 0
            return .changed
        }
        if isSteady {
            steadyFor += elapsed
            return .steady
        }
        quiet += elapsed
        isSteady = quiet >= patience
        return isSteady ? .steady : .settling
    }

    private static func isLost(_ background: BackgroundModel) -> Bool {
        let (level, marks) = (background.level.base, background.marks.base)
        let (width, height) = (background.width, background.height)
        let edge = 24 + 6 * background.typicalNoise
        var (samples, covered, edges, coveredEdges): (Float, Float, Float, Float) = (0, 0, 0, 0)
        for y in stride(from: 1, to: height - 1, by: 2) {
            for x in stride(from: 1, to: width - 1, by: 2) {
                let i = y * width + x
                let isCovered: Float = marks[i] != 0 ? 1 : 0
                samples += 1
                covered += isCovered
                if abs(level[i + 1] - level[i - 1]) + abs(level[i + width] - level[i - width]) > edge {
                    edges += 1
                    coveredEdges += isCovered
                }
            }
        }
        guard samples > 0 else { return false }
        return covered > samples * mostCovered
            || edges >= samples * fewestEdges && coveredEdges > edges * mostEdgesCovered
    }
}
