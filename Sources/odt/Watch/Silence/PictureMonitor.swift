import SwiftODT

/// Detects that the picture of a camera is covered, frozen, or shows another scene.
struct PictureMonitor {
    /// A picture counts as covered if its contrast is lower than this. The contrast is the standard deviation of the
    /// brightness, which is 0 to 255.
    private static let leastContrast: Float = 5
    /// The scene counts as changed if its similarity to the usual scene (-1 to 1) is lower than this. If only the light
    /// changes, the similarity stays above this value.
    private static let leastSimilarity: Float = 0.4
    /// The usual scene is a moving average of about this number of pictures.
    private static let memory: Float = 60
    /// The number of pictures after which the usual scene is established.
    private static let introduction: Float = 10
    /// The minimum time in nanoseconds after which another scene becomes the usual one.
    private static let adoption: Nanoseconds = 600_000_000_000
    /// A problem counts as ended when the picture has been good for this time in nanoseconds.
    private static let recovery: Nanoseconds = 2_000_000_000

    /// The time in nanoseconds after which a problem is reported.
    let patience: Nanoseconds
    private var usual: LumaThumbnail?
    private var count: Float = 0
    private var previous: LumaThumbnail?
    private var suspicion: (problem: CameraAlarm.Problem, since: Nanoseconds)?
    private var goodSince: Nanoseconds?
    private var reported: CameraAlarm.Problem?

    init(patience: Nanoseconds) { self.patience = patience }

    /// Examines the next picture of the camera. Expects about one picture per second.
    ///
    /// - Parameter now: The time of the picture in nanoseconds.
    /// - Returns: The problems that began or ended with this picture.
    mutating func take(_ picture: LumaThumbnail, at now: Nanoseconds) -> [CameraAlarm] {
        defer { previous = picture }
        // The size of the frames has changed.
        if let usual, usual.cells.count != picture.cells.count { (self.usual, count) = (nil, 0) }
        guard let problem = problem(of: picture) else {
            suspicion = nil
            learn(picture)
            let since = goodSince ?? now
            goodSince = since
            guard let old = reported, now - since >= Self.recovery else { return [] }
            reported = nil
            return [.ended(old)]
        }
        goodSince = nil
        let since = suspicion.flatMap { $0.problem == problem ? $0.since : nil } ?? now
        suspicion = (problem, since)
        if problem == .moved, now - since >= max(Self.adoption, patience) {
            (usual, count) = (picture, Self.introduction)
        }
        guard now - since >= patience, reported != problem else { return [] }
        defer { reported = problem }
        return (reported.map { [.ended($0)] } ?? []) + [.began(problem)]
    }

    private func problem(of picture: LumaThumbnail) -> CameraAlarm.Problem? {
        if picture.contrast < Self.leastContrast { return .covered }
        // Two pictures of a working camera differ at least by noise.
        if picture == previous { return .frozen }
        guard let usual, count >= Self.introduction else { return nil }
        return picture.similarity(to: usual) < Self.leastSimilarity ? .moved : nil
    }

    private mutating func learn(_ picture: LumaThumbnail) {
        count = min(count + 1, Self.memory)
        usual = usual?.blended(with: picture, part: 1 / count) ?? picture
    }
}

/// The brightness of a frame in at most 128 × 128 cells.
struct LumaThumbnail: Equatable {
    /// The brightness of the cells, 0 to 255, row by row.
    let cells: [Float]

    init(_ cells: [Float]) { self.cells = cells }

    init(_ frame: Frame) {
        cells = LumaPlane.reduce(frame, maximumSide: 128).withPixels { $0.map { Float($0) } }
    }

    private var mean: Float { cells.reduce(0, +) / Float(cells.count) }

    /// The standard deviation of the cells.
    var contrast: Float {
        let mean = mean
        return (cells.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(cells.count)).squareRoot()
    }

    /// The normalized cross-correlation with another picture, -1 to 1. It does not depend on brightness and contrast.
    func similarity(to other: LumaThumbnail) -> Float {
        let (mean, otherMean) = (mean, other.mean)
        var (product, square, otherSquare): (Float, Float, Float) = (0, 0, 0)
        for (one, two) in zip(cells, other.cells) {
            product += (one - mean) * (two - otherMean)
            square += (one - mean) * (one - mean)
            otherSquare += (two - otherMean) * (two - otherMean)
        }
        return square > 0 && otherSquare > 0 ? product / (square * otherSquare).squareRoot() : 0
    }

    /// Returns the weighted average with another picture. `part` (0 to 1) is the weight of the other picture.
    func blended(with other: LumaThumbnail, part: Float) -> LumaThumbnail {
        LumaThumbnail(zip(cells, other.cells).map { $0 + ($1 - $0) * part })
    }
}
