/// Detects moving objects of any kind in front of a fixed camera, without a model.
///
/// The detector learns the background from the stream, so it must process every frame in order. A result is available
/// when ``start(_:options:)`` returns. The detector ignores noise, flicker, slow and sudden changes of light, shadows
/// and specks. While the camera moves, and for a moment after a cut, it detects nothing. An object that stops is
/// reported for some more seconds.
///
/// The detector processes a grey copy of at most 320 pixels per side. Its cost thus hardly depends on the size of the
/// video.
///
///     let detector = MotionDetector()
///     for frame in frames { print(try detector.start(frame, options: DetectionOptions()).wait()) }
package final class MotionDetector: Detector {
    package let capacity = 1
    package var labels: [String]? { [] }

    private let analyzer = Monitor<MotionAnalyzer?>(nil)

    package init() {}

    package func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let plane = frame.luma ?? LumaPlane.reduce(frame)
        let (width, height) = (frame.width, frame.height)
        let detections = analyzer.update { analyzer in
            let current = MotionAnalyzer.reusing(analyzer, for: plane)
            analyzer = current
            return current.analyze(at: plane)
        }
        return DetectionPromise(
            detections.compactMap { detection in
                var detection = detection
                detection.box = detection.box.scaled(x: plane.scaleX, y: plane.scaleY)
                    .clipped(width: width, height: height)
                return detection.score < options.scoreFloor || detection.box.isEmpty ? nil : detection
            })
    }

    package func reset() { analyzer.update { $0 = nil } }
}

/// The motion detection pipeline of one stream.
final class MotionAnalyzer {
    private let width: Int
    private let height: Int
    private let background: BackgroundModel
    private let specks: SpeckFilter
    private let labeler: RegionLabeler
    private let shadows: ShadowFilter
    private let still: StationaryRegions
    private let explained: ExplainedMotionFilter
    private let causes: PixelGrid<UInt8>
    private var stability = SceneStability()
    private var history = MotionHistory()
    private var time: Nanoseconds

    /// Whether the background model is valid. It is invalid while the camera moves.
    private(set) var isSteady = false

    /// The radius of the dilation before the labelling, in pixels. It bridges gaps within an object's foreground.
    private static let gap = 1
    /// The minimum area of an object as a fraction of the plane.
    private static let minimumShare = 0.0002
    /// The minimum area of an object in plane pixels.
    private static let minimumArea = 8
    /// The minimum fraction of strongly marked pixels in an object.
    private static let minimumStrongShare = 0.1
    /// A region counts as swaying background if its mean ``BackgroundModel/activity`` exceeds this value, in grey
    /// levels.
    private static let maximumActivity: Float = 4
    /// Objects count as the cause of a region under two conditions. At least this fraction of each object's area is
    /// inside the region. The total area of these objects exceeds this fraction of the region's area.
    private static let cover = 0.5

    init(_ plane: LumaPlane) {
        width = plane.width
        height = plane.height
        background = BackgroundModel(width: width, height: height)
        specks = SpeckFilter(width: width, height: height)
        labeler = RegionLabeler(width: width, height: height)
        shadows = ShadowFilter(width: width, height: height)
        still = StationaryRegions(width: width, height: height)
        explained = ExplainedMotionFilter(width: width, height: height)
        causes = PixelGrid(width: width, height: height, filled: 0)
        time = plane.time
        plane.withPixels { pixels in
            if let first = pixels.baseAddress { background.restart(first) }
        }
    }

    /// Returns `analyzer` if it has the size of the plane, otherwise a new analyzer.
    static func reusing(_ analyzer: MotionAnalyzer?, for plane: LumaPlane) -> MotionAnalyzer {
        if let analyzer, analyzer.width == plane.width, analyzer.height == plane.height { return analyzer }
        return MotionAnalyzer(plane)
    }

    /// Returns the moving objects in a plane, in plane pixels, in descending order of score.
    ///
    /// - Parameters:
    ///   - known: the boxes of tracked objects. Motion inside these boxes is excluded, and so is motion that light or
    ///     swaying background may cause. With `nil`, all motion is included.
    ///   - confirmed: the boxes of confirmed objects, which are never swaying background. They are detected even in
    ///     places with high activity, and they do not raise the activity.
    func analyze(at plane: LumaPlane, besides known: [Box]? = nil, confirmed: [Box] = []) -> [Detection] {
        let elapsed = max((Double(plane.time) - Double(time)) / 1e9, 0)
        time = plane.time
        return plane.withPixels { pixels in
            guard let first = pixels.baseAddress else { return [] }
            return analyze(first, elapsed: elapsed, besides: known, confirmed: confirmed)
        }
    }

    private func analyze(
        _ pixels: UnsafePointer<UInt8>, elapsed: Double, besides known: [Box]?, confirmed: [Box]
    ) -> [Detection] {
        let light = LightChange(from: background.level, to: pixels, ignoring: background.marks)
        background.compare(pixels, light: light)
        let verdict = stability.judge(background, elapsed: Float(elapsed))
        isSteady = verdict == .steady
        if verdict == .changed {
            background.restart(pixels)
            history.forget()
            return []
        }
        let marks = specks.filter(background.marks)
        labeler.label(marks, gap: Self.gap)
        causes.fill(BackgroundModel.Cause.none)
        // At this point, the regions of confirmed objects include their shadows. The cause of the objects' own pixels
        // is replaced below, so only the pixels of the shadows keep the cause `shadow`.
        if !confirmed.isEmpty {
            mark(BackgroundModel.Cause.shadow, where: labeler.regions.map { isCausedBy($0, of: confirmed) })
        }
        if shadows.clear(marks, of: labeler, background, pixels, locally: known != nil) {
            labeler.label(marks, gap: Self.gap)
        }
        var accepted = labeler.regions.map(isObject)
        let isConfirmed = labeler.regions.map { isCausedBy($0, of: confirmed) }
        if known != nil { dropActiveRegions(marks, &accepted, but: isConfirmed) }
        mark(BackgroundModel.Cause.object, where: accepted)
        if !confirmed.isEmpty {
            mark(BackgroundModel.Cause.confirmed, where: zip(accepted, isConfirmed).map { $0 && $1 })
        }
        let seen = known.map { measure(marks, besides: $0) } ?? measure(marks, labeler, accepted)
        background.learn(pixels, causes: causes.base, elapsed: Float(elapsed))
        background.recall(pixels, light: light)
        still.absorbStoppedObjects(marks, of: labeler, background, pixels)
        if verdict == .drifting { still.absorbAll(background, pixels) } else { still.absorbGhosts(background, pixels) }
        guard verdict == .steady else {
            history.forget()
            return []
        }
        let frame = LabeledFrame(pixels: pixels, marks: explained.rest, labeler: explained.labeler, light: light)
        history.advance(seen, elapsed: elapsed, in: known == nil ? nil : frame)
        return history.objects.map { thing in
            Detection(box: thing.box, score: thing.contrast * (0.6 + 0.4 * min(1, thing.age / 0.3)))
        }.sorted { $0.score > $1.score }
    }

    /// Rejects regions in places with high activity, where the background sways. The background model then treats them
    /// as noise, which raises the activity further.
    private func dropActiveRegions(_ marks: PixelGrid<UInt8>, _ accepted: inout [Bool], but isConfirmed: [Bool]) {
        var sums = [Float](repeating: 0, count: accepted.count)
        labeler.forEachPixel(of: marks) { region, _, _, index in sums[region] += background.activity.base[index] }
        for region in accepted.indices
        where !isConfirmed[region] && sums[region] > Self.maximumActivity * Float(labeler.regions[region].area) {
            accepted[region] = false
        }
    }

    private func isObject(_ region: Region) -> Bool {
        let minimum = max(Self.minimumArea, Int(Self.minimumShare * Double(width * height)))
        return region.area >= minimum && region.maxX - region.minX > 1 && region.maxY - region.minY > 1
            && Double(region.strong) >= Self.minimumStrongShare * Double(region.area)
    }

    /// Returns whether some of the objects are the cause of a region, see ``cover``.
    private func isCausedBy(_ region: Region, of objects: [Box]) -> Bool {
        let inside = objects.filter { $0.intersection(region.box).area >= Self.cover * $0.area }
        return inside.reduce(0) { $0 + $1.area } > Self.cover * Double(region.area)
    }

    private func mark(_ cause: UInt8, where isSelected: [Bool]) {
        for run in labeler.runs where isSelected[run.region] {
            (causes.base + run.y * width + run.start).update(repeating: cause, count: run.end - run.start)
        }
    }

    private func measure(
        _ marks: PixelGrid<UInt8>, besides known: [Box]
    ) -> [MotionHistory.RegionObservation] {
        explained.clear(marks, of: causes, in: known)
        let accepted = explained.labeler.regions.map { isObject($0) && !explained.isPart($0) }
        return measure(explained.rest, explained.labeler, accepted)
    }

    private func measure(
        _ marks: PixelGrid<UInt8>, _ labeler: RegionLabeler, _ accepted: [Bool]
    ) -> [MotionHistory.RegionObservation] {
        var sums = [Float](repeating: 0, count: labeler.regions.count)
        labeler.forEachPixel(of: marks) { region, _, _, index in
            sums[region] += abs(background.smoothed.base[index]) / background.threshold(index)
        }
        let refinement = BoxRefinement(marks: marks, difference: background.difference)
        return labeler.regions.indices.filter { accepted[$0] }.map { index in
            let region = labeler.regions[index]
            let clearness = Double(sums[index]) / Double(max(1, region.area))
            return MotionHistory.RegionObservation(
                box: refinement.refine(region), contrast: 1 - 1 / (1 + 0.7 * clearness * clearness), region: index)
        }
    }
}
