/// Chooses the region of each inference: the full frame, or a region at higher magnification. All inferences cost the
/// same, so the selector chooses the region with the highest utility.
///
/// The utility is the reduction of uncertainty about three things: tracked objects (``ObjectUtility``), unexplained
/// motion (``CellMotion``), and areas whose latest inference at the region's magnification was a long time ago
/// (``CoverageAge``). An inference that is chosen because of these areas is called a "coverage inference". In regions
/// other than the full frame, the utility due to motion and areas is multiplied by the fraction of objects that are
/// detected only at higher magnification (``ZoomGainEstimate``). The choice depends only on timestamps, pictures and
/// results, so it is reproducible.
///
///     var selector = RegionSelector()
///     selector.note(tracker.snapshot())
///     let region = selector.next(at: frame.time, in: picture, luma: plane) // nil for the full frame
package struct RegionSelector: Sendable {
    package struct Geometry: Hashable, Sendable {
        package var width: Int
        package var height: Int
        package var pixelAspectRatio: Double
        /// Whether the orientation exchanges the width and height of the buffer.
        package var turned: Bool
        package var input: InputSize

        package init(width: Int, height: Int, pixelAspectRatio: Double = 1, turned: Bool = false, input: InputSize) {
            (self.width, self.height, self.pixelAspectRatio) = (width, height, pixelAspectRatio)
            (self.turned, self.input) = (turned, input)
        }
    }

    /// The reason why a region was chosen. The raw values appear in the debug log and in the property `stats`, for
    /// example as `regions.motion`.
    package enum Reason: String, CaseIterable, Sendable {
        case fullFrame = "full-frame"
        /// The region contains small objects that need a detection.
        case objects
        case motion
        /// No inference has covered the region for a long time.
        case coverage
    }

    private var pyramid: RegionPyramid?
    private var objects = ObjectUtility()
    private var motion = CellMotion()
    private var ages = CoverageAge()
    private var zoomGain = ZoomGainEstimate()
    private var latest: ObjectUtility.RegionInference?
    private var lastFullFrame: Nanoseconds?
    private var lastCause: InferencePolicy.Reason?
    private var regionsSinceFullFrame = 0
    private var lastCoverage: Nanoseconds?
    /// The number of inferences since the last coverage inference. The count stops at ``inferencesBetweenRounds``.
    private var inferencesSinceCoverage = 0
    /// The time at which ``selectCoverageRegion(around:of:at:)`` last chose a region.
    private var lastCoverageRound: Nanoseconds?

    /// If there was no coverage inference for this time in nanoseconds, a coverage inference is due. The utility of an
    /// area does not grow beyond this age (``CoverageAge/longest``). Without coverage inferences, an area with a lower
    /// utility than the objects would therefore never be inferred.
    private static let longestWithoutCoverageRound: Nanoseconds = 4_000_000_000
    /// The minimum number of inferences between two coverage inferences. A coverage inference is due only if this
    /// number and ``longestWithoutCoverageRound`` are both reached.
    private static let inferencesBetweenRounds = 4
    private static let longestWithoutFullFrame: Nanoseconds = 400_000_000
    /// The maximum interval in nanoseconds between full-frame inferences while objects or motion trigger the
    /// inferences. Triggered inferences are rare. With the shorter ``longestWithoutFullFrame``, half of them would be
    /// full-frame inferences. Large new objects still cause full-frame inferences by their motion.
    private static let longestWhileTriggered: Nanoseconds = 800_000_000
    /// The maximum interval in nanoseconds between full-frame inferences while tentative tracks trigger the inferences.
    /// A track needs only one or two inferences to be confirmed, so this long interval applies only for a short time.
    private static let longestWhileTentative: Nanoseconds = 4_000_000_000
    /// After this number of consecutive region inferences, ``longestWhileTriggered`` replaces
    /// ``longestWhileTentative``. Otherwise, objects that are detectable only in the full frame would be missed as long
    /// as new tracks keep appearing.
    private static let maximumRegionsWhileTentative = 2
    /// The maximum number of objects around which candidate regions are created.
    private static let maximumAnchors = 40

    package init() {}

    package mutating func note(_ snapshot: TrackerSnapshot?) {
        objects.note(snapshot)
        // A full-frame inference before a cut shows the previous scene and does not count. If there was no full-frame
        // inference since the cut, the next inference covers the full frame.
        if let lastCut = snapshot?.lastCut, let fullFrame = lastFullFrame, fullFrame < lastCut { lastFullFrame = nil }
    }

    /// Returns the region for the next inference, or `nil` for the full frame, and records it as inferred.
    ///
    /// - Parameter isCameraMoving: Whether the camera moves. Consecutive scene changes then do not select the full
    ///   frame, but ``note(_:)`` still does after a cut.
    package mutating func next(
        at time: Nanoseconds, because cause: InferencePolicy.Reason = .interval, isCameraMoving: Bool = false,
        in picture: Geometry, luma: LumaPlane?
    ) -> (region: Box?, reason: Reason) {
        let time = time.clampedToRange
        // A new scene begins with the full frame.
        if cause == .sceneChange, !isCameraMoving || lastCause != .sceneChange { lastFullFrame = nil }
        lastCause = cause
        let pyramid = pyramid(of: picture, at: time)
        objects.choose()
        motion.update(at: luma, at: time, besides: objects.known.map(\.box))
        zoomGain.learn(from: objects.known, isMoving: motion.isMoving.contains(true))
        guard !pyramid.tiles.isEmpty, lastFullFrame != nil else {
            return take(pyramid.fullFrame, of: pyramid, at: time, because: .fullFrame)
        }
        if cause == .refresh, motion.isStill {
            return selectCoverageRegion(
                around: (latest?.level == 0 ? [] : [pyramid.fullFrame]) + pyramid.tiles, of: pyramid, at: time)
        }
        if isFullFrameDue(at: time, because: cause) {
            return take(pyramid.fullFrame, of: pyramid, at: time, because: .fullFrame)
        }
        // Areas without objects have a lower utility than objects. They would otherwise never be inferred.
        if inferencesSinceCoverage >= Self.inferencesBetweenRounds, !isTriggered(cause),
            isLongAgo(lastCoverage, at: time)
        {
            return selectCoverageRegion(around: pyramid.tiles, of: pyramid, at: time)
        }
        objects.computeUtility(at: time, because: cause, after: latest, in: pyramid)
        motion.computeUtility(at: time, because: cause, in: pyramid)
        ages.computeUtility(at: time, with: motion.isMovingNearby)
        var best = (utility: -1.0, view: pyramid.fullFrame, reason: Reason.fullFrame)
        let around = pyramid.regions(around: objects.places.prefix(Self.maximumAnchors))
        for candidate in [pyramid.fullFrame] + pyramid.tiles + around {
            let view = pyramid.avoidingCuts(objects.places, by: candidate)
            let (utility, reason) = utility(of: view, in: pyramid, isTriggeredByObjects: cause.isTriggeredByObjects)
            if utility > best.utility { best = (utility, view, reason) }
        }
        // All cells older than ``CoverageAge/longest`` have the same utility, so larger regions would always win.
        // Therefore, once per ``longestWithoutCoverageRound``, the tiles are compared by ages up to
        // ``CoverageAge/longestWhenIdle``.
        if best.reason == .coverage, !isTriggered(cause), isLongAgo(lastCoverageRound, at: time) {
            return selectCoverageRegion(around: pyramid.tiles, of: pyramid, at: time)
        }
        return take(best.view, of: pyramid, at: time, because: best.reason)
    }

    /// Chooses the candidate with the greatest total age of its cells. Ignores tracked objects, motion and the zoom
    /// gain.
    private mutating func selectCoverageRegion(
        around candidates: [RegionPyramid.CandidateRegion], of pyramid: RegionPyramid, at time: Nanoseconds
    ) -> (region: Box?, reason: Reason) {
        let noMotion = [Bool](repeating: false, count: CoverageAge.columns * CoverageAge.rows)
        ages.computeUtility(at: time, with: noMotion, upTo: CoverageAge.longestWhenIdle)
        var best = (utility: -1.0, view: pyramid.fullFrame)
        for candidate in candidates {
            let view = pyramid.avoidingCuts(objects.places, by: candidate)
            let utility = ages.utility(of: view.box, level: view.level).place
            if utility > best.utility { best = (utility, view) }
        }
        lastCoverageRound = time
        return take(best.view, of: pyramid, at: time, because: best.view.isWhole ? .fullFrame : .coverage)
    }

    /// Returns whether an object or new motion triggered the inference. Recurring motion does not count, because
    /// inferences have detected nothing at its place.
    private func isTriggered(_ cause: InferencePolicy.Reason) -> Bool {
        cause.isTriggeredByObjects && cause != .recurringMotion
    }

    private func isLongAgo(_ round: Nanoseconds?, at time: Nanoseconds) -> Bool {
        round.map { time < $0 || time - $0 >= Self.longestWithoutCoverageRound } ?? true
    }

    private mutating func pyramid(of picture: Geometry, at time: Nanoseconds) -> RegionPyramid {
        if let pyramid, pyramid.picture == picture { return pyramid }
        let pyramid = RegionPyramid(of: picture)
        self.pyramid = pyramid
        ages = CoverageAge(
            width: pyramid.fullFrame.box.width, height: pyramid.fullFrame.box.height, levels: pyramid.levels.count,
            at: time)
        (lastFullFrame, latest) = (nil, nil)
        return pyramid
    }

    /// Returns whether a full-frame inference is due. Objects can enter anywhere, and large objects are detected only
    /// in the full frame. A full-frame inference is not due directly after another one, except to refresh the scene.
    private func isFullFrameDue(at time: Nanoseconds, because cause: InferencePolicy.Reason) -> Bool {
        guard let lastFullFrame, time >= lastFullFrame else { return true }
        if regionsSinceFullFrame == 0, cause != .refresh { return false }
        let longest =
            switch cause {
            case .tentative where regionsSinceFullFrame < Self.maximumRegionsWhileTentative: Self.longestWhileTentative
            case _ where cause.isTriggeredByObjects: Self.longestWhileTriggered
            default: Self.longestWithoutFullFrame
            }
        return time - lastFullFrame >= longest
    }

    /// Returns the utility of a region, and the reason that contributes most to it.
    private func utility(
        of view: RegionPyramid.CandidateRegion, in pyramid: RegionPyramid, isTriggeredByObjects: Bool
    ) -> (utility: Double, reason: Reason) {
        let ofObjects = objects.utility(of: view, in: pyramid)
        let ages = ages.utility(of: view.box, level: view.level)
        let expectedGain = view.isWhole ? 1 : zoomGain.expectedGain
        // If objects triggered the inference, the weight of the age is at most the fraction of current objects that
        // need magnification. The objects thus take precedence over areas whose latest inference was a long time ago.
        let ofPlace = ages.place * (isTriggeredByObjects ? min(expectedGain, zoomGain.now) : expectedGain)
        let ofMotion = ages.motion * expectedGain + (view.isWhole ? motion.utilityOfFullFrame : 0)
        let utility = ofObjects + ofPlace + ofMotion
        if view.isWhole { return (utility, .fullFrame) }
        if ofMotion > max(ofObjects, ofPlace) { return (utility, .motion) }
        return (utility, ofPlace > ofObjects ? .coverage : .objects)
    }

    private mutating func take(
        _ view: RegionPyramid.CandidateRegion, of pyramid: RegionPyramid, at time: Nanoseconds, because reason: Reason
    ) -> (Box?, Reason) {
        inferencesSinceCoverage =
            reason == .coverage ? 0 : min(inferencesSinceCoverage + 1, Self.inferencesBetweenRounds)
        if reason == .coverage { lastCoverage = time }
        latest = ObjectUtility.RegionInference(region: pyramid.inferredRegion(of: view), level: view.level, time: time)
        if view.isWhole { lastFullFrame = time }
        regionsSinceFullFrame = view.isWhole ? 0 : min(regionsSinceFullFrame + 1, Self.maximumRegionsWhileTentative)
        ages.note(view.isWhole ? nil : view.box, level: view.level, at: time)
        return (view.isWhole ? nil : view.box, reason)
    }
}

/// An estimate of the benefit of magnification: the fraction of objects that are detected only at higher magnification.
struct ZoomGainEstimate: Sendable {
    private(set) var now = 1.0
    private var lately = 1.0

    private static let memory = 0.05
    /// The lower bound of ``expectedGain``. It is greater than 0, because an object that needs magnification can appear
    /// at any time.
    private static let minimum = 0.1

    /// Updates the estimate before an inference. Scenes without objects and motion are skipped, because they carry no
    /// information.
    mutating func learn(from places: [TrackerSnapshot.ObjectState], isMoving: Bool) {
        now =
            places.isEmpty
            ? 1 : Double(places.count { $0.observedMagnification > Detectability.near }) / Double(places.count)
        if isMoving || !places.isEmpty { lately += (now - lately) * Self.memory }
    }

    /// The expected benefit of magnification for areas that are inferred because of their age or motion: the moving
    /// average, but at least ``minimum``. 0 to 1.
    var expectedGain: Double { max(Self.minimum, lately) }
}
