/// Detects camera motion and cuts. They make the background model invalid until the picture is static again.
struct SceneStability {
    enum Verdict {
        case steady
        /// The background model was restarted recently and is not reliable yet.
        case settling
        /// The background model was restarted recently and already differs from the frame in many places.
        case drifting
        case changed
    }

    private var steadyTime: Float = 0
    private var isSteady = false

    /// The time without camera motion until a new background is reliable, in seconds.
    private static let settlingTime: Float = 0.4
    /// The time after which a background counts as reliable even if many blocks are outdated, in seconds. In a busy
    /// scene, objects always cover a part of many blocks.
    private static let longestSettlingTime: Float = 3

    /// Returns the verdict for the frame that `background` has just compared.
    mutating func judge(_ background: BackgroundModel, elapsed: Float) -> Verdict {
        let survey = BackgroundSurvey(background)
        if survey.isLost {
            isSteady = false
            steadyTime = 0
            return .changed
        }
        if isSteady { return .steady }
        // In a slow stream, several frames are needed.
        steadyTime += min(elapsed, 1)
        isSteady = steadyTime >= (survey.isOutdated ? Self.longestSettlingTime : Self.settlingTime)
        return isSteady ? .steady : survey.isOutdated ? .drifting : .settling
    }
}

/// Whether the background model matches the frame, derived from statistics of blocks of the picture.
private struct BackgroundSurvey {
    private(set) var isLost = false
    private(set) var isOutdated = false

    /// The background counts as lost if more than this fraction of the pixels is foreground.
    private static let maximumCovered: Float = 0.5
    private static let across = 6
    private static let down = 4
    /// A block is evaluated only if at least this fraction of its pixels are edge pixels.
    private static let minimumEdgeShare: Float = 0.02
    /// The edges of a block count as moved if foreground covers more than this fraction of the block's background
    /// edges. Camera motion moves all edges, but an object covers only some.
    private static let maximumCoveredEdges: Float = 0.3
    /// The camera can count as moving only if at least this fraction of the blocks has enough edges to be evaluated.
    private static let minimumBlockShare = 0.25
    /// The camera counts as moving if more than this fraction of the evaluated blocks has moved edges.
    private static let maximumMovedShare = 0.5

    /// A block counts as outdated if more than this fraction of its pixels is foreground.
    private static let outdatedForegroundShare: Float = 0.02
    /// The background counts as outdated if more than this fraction of the blocks is outdated.
    private static let maximumOutdatedShare = 0.4

    init(_ background: BackgroundModel) {
        let blocks = (0..<Self.across * Self.down).map { index in
            Block(background, column: index % Self.across, of: Self.across, row: index / Self.across, of: Self.down)
        }
        let covered = blocks.reduce(0) { $0 + $1.covered }
        let pixels = blocks.reduce(0) { $0 + $1.pixels }
        let evaluated = blocks.filter { $0.edges >= max(2, Self.minimumEdgeShare * $0.pixels) }
        let moved = evaluated.filter { $0.coveredEdges > Self.maximumCoveredEdges * $0.edges }
        let isMoved =
            Double(evaluated.count) >= Self.minimumBlockShare * Double(blocks.count)
            && Double(moved.count) > Self.maximumMovedShare * Double(evaluated.count)
        isLost = covered > Self.maximumCovered * pixels || isMoved
        let outdated = blocks.filter { $0.covered > Self.outdatedForegroundShare * $0.pixels }
        isOutdated = Double(outdated.count) > Self.maximumOutdatedShare * Double(blocks.count)
    }
}

/// Statistics on a sample of the pixels in a block of the picture.
private struct Block {
    var pixels: Float = 0
    var covered: Float = 0
    /// The number of pixels at edges of the background.
    var edges: Float = 0
    /// The number of pixels at edges of the background that are foreground in the current frame.
    var coveredEdges: Float = 0

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
                    coveredEdges += isCovered
                }
                x += 2
            }
        }
    }
}
