/// One stream's view of its scene: goes through the steps from a grey plane to boxes, frame by frame.
final class MotionAnalyzer {
    private let width: Int
    private let height: Int
    private let background: BackgroundModel
    private let specks: SpeckFilter
    private let labeler: RegionLabeler
    private let shadows: ShadowFilter
    private let still: StillRegions
    private let explained: ExplainedMotion
    private let causes: PixelGrid<UInt8>
    private var watch = SceneWatch()
    private var history = MotionHistory()
    private var time: Nanoseconds

    /// Whether the scene is known, as it is not while the camera moves.
    private(set) var isSteady = false

    /// Marks so many pixels apart may belong to one object.
    private static let gap = 1
    /// Smallest object, as a share of the plane and in its pixels.
    private static let leastShare = 0.0002
    private static let leastArea = 8
    /// Of an object's pixels so many at least are strongly marked.
    private static let leastStrongShare = 0.1
    /// A region whose place is more restless than this on the mean, in grey levels, sways there, see ``BackgroundModel/restlessness``.
    private static let mostRestless: Float = 4
    /// By this share things have to lie in a region, and make it up, for the region to be them.
    private static let cover = 0.5
    /// Times between frames outside of what a camera does are taken for this many seconds at most.
    private static let longestStep = 1.0

    init(_ plane: LumaPlane) {
        width = plane.width
        height = plane.height
        background = BackgroundModel(width: width, height: height)
        specks = SpeckFilter(width: width, height: height)
        labeler = RegionLabeler(width: width, height: height)
        shadows = ShadowFilter(width: width, height: height)
        still = StillRegions(width: width, height: height)
        explained = ExplainedMotion(width: width, height: height)
        causes = PixelGrid(width: width, height: height, filled: 0)
        time = plane.time
        plane.withPixels { pixels in
            if let first = pixels.baseAddress { background.restart(first) }
        }
    }

    func fits(_ plane: LumaPlane) -> Bool { plane.width == width && plane.height == height }

    /// What moves in the plane, in its pixels, the most certain first.
    ///
    /// - Parameters:
    ///   - known: boxes of things that are known already: what moves there is left out, and so is what may as well be light, or sway
    ///     at its place.
    ///   - proved: where things are of which it has been seen that they do not sway at their place: they are things everywhere, and
    ///     make no place restless.
    func look(at plane: LumaPlane, besides known: [Box]? = nil, proved: [Box] = []) -> [Detection] {
        let elapsed = min(max((Double(plane.time) - Double(time)) / 1e9, 0), Self.longestStep)
        time = plane.time
        return plane.withPixels { pixels in
            guard let first = pixels.baseAddress else { return [] }
            return look(first, elapsed: elapsed, besides: known, proved: proved)
        }
    }

    private func look(
        _ pixels: UnsafePointer<UInt8>, elapsed: Double, besides known: [Box]?, proved: [Box]
    ) -> [Detection] {
        let light = LightChange(from: background.level, to: pixels, ignoring: background.marks)
        background.compare(pixels, light: light)
        let verdict = watch.judge(background, elapsed: Float(elapsed))
        isSteady = verdict == .steady
        if verdict == .changed {
            background.restart(pixels)
            history.forget()
            return []
        }
        let marks = specks.filter(background.marks)
        labeler.label(marks, gap: Self.gap)
        causes.fill(BackgroundModel.Cause.none)
        // With the shadows that they cast, which are taken away next.
        if !proved.isEmpty { mark(BackgroundModel.Cause.shadow, where: labeler.regions.map { isMade($0, of: proved) }) }
        if shadows.clear(marks, of: labeler, background, pixels, locally: known != nil) {
            labeler.label(marks, gap: Self.gap)
        }
        var accepted = labeler.regions.map(isObject)
        let isProved = labeler.regions.map { isMade($0, of: proved) }
        if known != nil { leaveOutRestless(marks, &accepted, but: isProved) }
        mark(BackgroundModel.Cause.object, where: accepted)
        if !proved.isEmpty { mark(BackgroundModel.Cause.proved, where: zip(accepted, isProved).map { $0 && $1 }) }
        let seen = known.map { measure(marks, besides: $0, pixels) } ?? measure(marks, labeler, accepted)
        background.learn(pixels, causes: causes.base, elapsed: Float(elapsed))
        background.recall(pixels, light: light)
        still.settle(marks, of: labeler, background, pixels)
        if verdict == .drifting { still.absorbAll(background, pixels) } else { still.dispel(background, pixels) }
        guard verdict == .steady else {
            history.forget()
            return []
        }
        let frame = MarkedFrame(pixels: pixels, marks: explained.rest, labeler: explained.labeler, light: light)
        history.advance(seen, elapsed: elapsed, in: known == nil ? nil : frame)
        return history.things.map { thing in
            Detection(box: thing.box, score: thing.contrast * (0.6 + 0.4 * min(1, thing.age / 0.3)))
        }.sorted { $0.score > $1.score }
    }

    /// What is none of them is learnt as a part of the scene, and as restless all the sooner.
    private func leaveOutRestless(_ marks: PixelGrid<UInt8>, _ accepted: inout [Bool], but isProved: [Bool]) {
        var sums = [Float](repeating: 0, count: accepted.count)
        labeler.forEachPixel(of: marks) { region, _, _, index in sums[region] += background.restlessness.base[index] }
        for region in accepted.indices
        where !isProved[region] && sums[region] > Self.mostRestless * Float(labeler.regions[region].area) {
            accepted[region] = false
        }
    }

    private func isObject(_ region: Region) -> Bool {
        let least = max(Self.leastArea, Int(Self.leastShare * Double(width * height)))
        return region.area >= least && region.maxX - region.minX > 1 && region.maxY - region.minY > 1
            && Double(region.strong) >= Self.leastStrongShare * Double(region.area)
    }

    /// Whether most of the region is things that lie in it.
    private func isMade(_ region: Region, of things: [Box]) -> Bool {
        let inside = things.filter { $0.intersection(region.box).area >= Self.cover * $0.area }
        return inside.reduce(0) { $0 + $1.area } > Self.cover * Double(region.area)
    }

    private func mark(_ cause: UInt8, where isMeant: [Bool]) {
        for run in labeler.runs where isMeant[run.region] {
            (causes.base + run.y * width + run.start).update(repeating: cause, count: run.end - run.start)
        }
    }

    /// What is left to report where known things explain some of it.
    private func measure(
        _ marks: PixelGrid<UInt8>, besides known: [Box], _ pixels: UnsafePointer<UInt8>
    ) -> [MotionHistory.Sighting] {
        explained.clear(marks, of: causes, in: known, background, pixels)
        let accepted = explained.labeler.regions.map { isObject($0) && !explained.isPart($0) }
        return measure(explained.rest, explained.labeler, accepted)
    }

    /// The refined boxes of the accepted regions, and how clearly each stands out.
    private func measure(
        _ marks: PixelGrid<UInt8>, _ labeler: RegionLabeler, _ accepted: [Bool]
    ) -> [MotionHistory.Sighting] {
        var sums = [Float](repeating: 0, count: labeler.regions.count)
        labeler.forEachPixel(of: marks) { region, _, _, index in
            sums[region] += abs(background.smoothed.base[index]) / background.threshold(index)
        }
        let refinement = BoxRefinement(marks: marks, difference: background.difference)
        return labeler.regions.indices.filter { accepted[$0] }.map { index in
            let region = labeler.regions[index]
            let clearness = Double(sums[index]) / Double(max(1, region.area))
            return MotionHistory.Sighting(
                box: refinement.refine(region), contrast: 1 - 1 / (1 + 0.7 * clearness * clearness), region: index)
        }
    }
}
