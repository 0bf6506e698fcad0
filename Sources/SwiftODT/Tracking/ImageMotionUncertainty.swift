/// Estimates the error of the image motion that is measured for one object.
///
/// Image motion is measured at points in the object's box. Some points may belong to something else, such as the
/// background between a person's legs, and the measured motion is then wrong. The two pictures that are compared do not
/// reveal this error. The next detection reveals it: the box that image motion has propagated differs from the detected
/// box.
///
/// Jitter of the detector also causes such differences, but with alternating signs. Image motion is therefore
/// considered wrong if the differences at consecutive results have the same sign and are larger than those of a
/// constant-velocity prediction. The Kalman filter then gives the image motion less weight.
struct ImageMotionUncertainty: Sendable {
    /// A running average of *e(image motion) - e(constant-velocity prediction)*. *e* is the product of the velocity
    /// errors at two consecutive results. It is positive if the errors have the same sign.
    ///
    /// If the average is negative, image motion is more accurate than the prediction, and ``variance`` is 0. The unit
    /// is squared object sizes per squared second. An object size is the square root of the box's area. The components
    /// are centre x, centre y, width and height.
    private var evidence = SIMD4<Double>.zero
    /// The errors at the latest detection, in object sizes: `carried` is that of the box that image motion has
    /// propagated, `expected` that of the constant-velocity prediction.
    private var lastError = (carried: SIMD4<Double>.zero, expected: SIMD4<Double>.zero)
    /// The time between the latest two results of the object, in seconds.
    private var span = 0.0
    private var isToBeJudged = false

    /// The additional variance of the velocity that image motion measures between two results, in squared object sizes
    /// per squared second. The variance that follows from ``BoxMove/deviation`` is not included.
    var variance: SIMD4<Double> { evidence.bounded(.zero, TrackerTuning.greatestImageError) }

    /// Returns ``variance`` for one of several propagation steps between two results.
    ///
    /// The filter treats the errors of the steps as independent, which would divide their common variance by the number
    /// of steps. In fact, all steps have the same error. The variance of each step is therefore multiplied by the
    /// number of steps, which is estimated from the time between the latest two results.
    ///
    /// - Parameters:
    ///   - step: the duration of the step in seconds.
    ///   - minimum: a lower bound of ``variance``.
    func variance(eachOf step: Double, atLeast minimum: Double = 0) -> SIMD4<Double> {
        evidence.bounded(SIMD4(repeating: minimum), TrackerTuning.greatestImageError) * max(1, span / step)
    }

    mutating func noteMove() { isToBeJudged = true }

    /// Compares the propagated box `carried` with the detection `found`, and updates the estimate. Returns whether
    /// image motion has moved the box since the previous observation.
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

    /// Returns the constant-velocity prediction from the latest two observations.
    private static func expected(at time: Nanoseconds, after past: ObservationHistory) -> SIMD4<Double>? {
        guard past.count > 1, past[0].time > past[1].time else { return nil }
        let steps = Double(time - past[0].time) / Double(past[0].time - past[1].time)
        return past[0].box.vector + (past[0].box.vector - past[1].box.vector) * steps
    }
}
