/// Estimates the error of image motion for one object.
///
/// The points in a box may belong to something else, such as the background between a person's legs. A pair of pictures
/// does not show this error. Each detection shows it, because the propagated box then differs from the detected box.
/// The image motion is wrong if the errors of consecutive results have the same sign and exceed the errors of a
/// constant-velocity prediction. The Kalman filter then gives the image motion less weight. Detector jitter causes
/// errors of alternating sign.
struct ImageMotionUncertainty: Sendable {
    /// The estimated variance of the velocity that image motion measures, in squared object sizes per squared second.
    /// An object size is the square root of the box's area. The components are centre x, centre y, width and height.
    /// Unlike ``variance``, the value can be negative: the image motion is then more accurate than a constant-velocity
    /// prediction.
    private var evidence = SIMD4<Double>.zero
    /// The position errors of two boxes at the latest result, in object sizes: the propagated box, and a
    /// constant-velocity prediction.
    private var lastError = (carried: SIMD4<Double>.zero, expected: SIMD4<Double>.zero)
    /// The time between the latest two results of the object, in seconds.
    private var span = 0.0
    private var isToBeJudged = false

    /// The additional variance of the measured velocity between two results, in squared object sizes per squared
    /// second.
    var variance: SIMD4<Double> { evidence.bounded(.zero, TrackerTuning.greatestImageError) }

    /// Returns the additional velocity variance for one of several propagation steps between two results. The errors of
    /// the steps are fully correlated. The variance of a step is therefore higher: all steps together count as one
    /// measurement.
    ///
    /// - Parameter step: the duration of the step in seconds.
    func variance(eachOf step: Double) -> SIMD4<Double> { variance * max(1, span / step) }

    /// Returns the velocity variance of a step for the association. The variance has a lower bound, because two people
    /// may pass each other. Image motion can then move the box of one person along with the other person. This error
    /// becomes measurable only after the identities may have been swapped.
    func cautiousVariance(eachOf step: Double) -> SIMD4<Double> {
        evidence.bounded(SIMD4(repeating: TrackerTuning.usualImageError), TrackerTuning.greatestImageError)
            * max(1, span / step)
    }

    /// Records that image motion moved the box.
    mutating func noteMove() { isToBeJudged = true }

    /// Compares the propagated box with a detection.
    ///
    /// - Parameters:
    ///   - carried: the propagated box.
    ///   - found: the detection.
    ///   - past: the earlier observations.
    /// - Returns: whether image motion has moved the box since the previous observation.
    @inline(__always)
    mutating func judge(_ carried: SIMD4<Double>, against found: Observation, after past: ObservationHistory) -> Bool {
        guard isToBeJudged, found.time > past[0].time, found.box.area > 0 else { return false }
        isToBeJudged = false
        span = Double(found.time - past[0].time) / 1e9
        let size = found.box.area.squareRoot()
        let error = (
            carried: (found.box.vector - carried) / size,
            expected: Self.expected(at: found.time, after: past).map { (found.box.vector - $0) / size } ?? .zero
        )
        let excess =
            error.carried * lastError.carried
            - (error.expected * lastError.expected).bounded(.zero, TrackerTuning.greatestImageError)
        let sample = (excess / (span * span)).bounded(
            -TrackerTuning.greatestImageError, TrackerTuning.greatestImageError)
        evidence += (sample - evidence) * TrackerTuning.imageErrorShare
        lastError = error
        return true
    }

    /// Returns the constant-velocity prediction from the latest two observations. `nil` if there is only one
    /// observation.
    private static func expected(at time: Nanoseconds, after past: ObservationHistory) -> SIMD4<Double>? {
        guard past.count > 1, past[0].time > past[1].time else { return nil }
        let steps = Double(time - past[0].time) / Double(past[0].time - past[1].time)
        return past[0].box.vector + (past[0].box.vector - past[1].box.vector) * steps
    }
}
