/// Estimates the error of the image motion of one object. The measured points may belong to something else, such as the
/// background between a person's legs, and the propagated box then differs from the next detection. Jitter of the
/// detector causes differences with alternating signs. Image motion is therefore considered wrong if consecutive
/// differences have the same sign and are larger than those of a constant-velocity prediction.
struct ImageMotionUncertainty: Sendable {
    /// Compares image motion with the constant-velocity prediction. For each of them, the product of the velocity
    /// errors at two consecutive results is computed. This is the running average of the first product minus the second
    /// one, for centre x, centre y, width and height, in squared object sizes per squared second. If it is negative,
    /// image motion is more accurate.
    private var evidence = SIMD4<Double>.zero
    /// The errors at the latest detection, in object sizes. `carried` is the error of the box that image motion has
    /// propagated. `expected` is the error of the constant-velocity prediction.
    private var lastError = (carried: SIMD4<Double>.zero, expected: SIMD4<Double>.zero)
    /// The time between the latest two results of the object, in seconds.
    private var span = 0.0
    /// Whether image motion has moved the box since the latest observation.
    var isToBeJudged = false

    /// The variance of the velocity that image motion measures between two results, in the unit of ``evidence``. It
    /// comes in addition to the variance that follows from ``BoxMove/deviation``.
    var variance: SIMD4<Double> { evidence.bounded(.zero, TrackerTuning.greatestImageError) }

    /// Returns ``variance`` with a lower bound, multiplied by the number of propagation steps of `step` seconds between
    /// two results. The steps between two results have the same error, but the filter treats them as independent.
    func variance(eachOf step: Double, atLeast minimum: Double = 0) -> SIMD4<Double> {
        evidence.bounded(SIMD4(repeating: minimum), TrackerTuning.greatestImageError) * max(1, span / step)
    }

    /// Updates the estimate from the propagated box and the detection. Returns `false` if no image motion moved the box.
    @inline(__always)
    mutating func judge(_ carried: SIMD4<Double>, against found: Observation, after past: ObservationHistory) -> Bool {
        guard isToBeJudged, found.time > past[0].time, found.box.area > 0 else { return false }
        isToBeJudged = false
        span = Double(found.time - past[0].time) / 1e9
        let size = found.box.area.squareRoot()
        var error = (carried: (found.box.vector - carried) / size, expected: SIMD4<Double>.zero)
        if past.count > 1, past[0].time > past[1].time {
            let steps = Double(found.time - past[0].time) / Double(past[0].time - past[1].time)
            let expected = past[0].box.vector + (past[0].box.vector - past[1].box.vector) * steps
            error.expected = (found.box.vector - expected) / size
        }
        let excess =
            error.carried * lastError.carried
            - (error.expected * lastError.expected).bounded(.zero, TrackerTuning.greatestImageError)
        let sample = (excess / (span * span)).bounded(
            -TrackerTuning.greatestImageError, TrackerTuning.greatestImageError)
        evidence += (sample - evidence) * TrackerTuning.imageErrorShare
        lastError = error
        return true
    }
}
