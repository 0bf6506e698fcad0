import Glibc

/// A constant-velocity Kalman filter for the centre, width and height of a box. The four components are independent, so
/// each needs only three covariance values. All noise scales with time and with the square root of the box's area.
struct BoxKalmanFilter: Sendable {
    /// Centre x, centre y, width, height, in pixels.
    var position: SIMD4<Double>
    /// In pixels per second, in the order of ``position``.
    var velocity = SIMD4<Double>.zero
    private var variance: SIMD4<Double>
    private var covariance = SIMD4<Double>.zero
    private var velocityVariance: SIMD4<Double>

    init(_ box: Box, jitter: SIMD4<Double>) {
        position = box.vector
        let size = Self.size(position)
        variance = (size * jitter).squared * 2
        velocityVariance = SIMD4(repeating: size * TrackerTuning.firstVelocity).squared
    }

    var box: Box { Box(position) }

    struct Step: Sendable {
        var seconds = 0.0
        var accelerationNoise = SIMD4<Double>.zero
        /// The factors on the velocities during the step: 1 for the centre, at most 1 for width and height (damping).
        var lasting = SIMD4<Double>.one
    }

    @inline(__always)
    mutating func predict(by step: Step) {
        let seconds = step.seconds
        guard seconds > 0 else { return }
        velocity *= step.lasting
        position += velocity * seconds
        position = position.bounded(SIMD4(-1e7, -1e7, 0.1, 0.1), SIMD4(repeating: 1e7))
        velocity = velocity.bounded(SIMD4(repeating: -1e7), SIMD4(repeating: 1e7))
        let accelerationVariance = (Self.size(position) * step.accelerationNoise).squared
        variance += (covariance * 2 + velocityVariance * seconds) * seconds
        variance += accelerationVariance * (seconds * seconds * seconds / 3)
        covariance += velocityVariance * seconds + accelerationVariance * (seconds * seconds / 2)
        velocityVariance += accelerationVariance * seconds
    }

    /// `jitter` is the measurement's standard deviation in object sizes. Returns the gain of each position component.
    @inline(__always)
    mutating func correct(_ box: Box, jitter: SIMD4<Double>) -> SIMD4<Double> {
        let noise = (Self.size(position) * jitter).squared
        let total = variance + noise
        let gain = variance / total
        let velocityGain = covariance / total
        let innovation = box.vector - position
        position += gain * innovation
        velocity += velocityGain * innovation
        velocityVariance -= velocityGain * covariance
        covariance -= gain * covariance
        variance -= gain * variance
        return gain
    }

    /// Corrects the velocity by the image motion, weighted by the uncertainties of both, and then predicts the state.
    /// The variance of the image motion has a lower bound: when two people pass each other, image motion can move one
    /// box along with the other. Returns the offset in pixels from the filter's box to the box for display. The box for
    /// display is more accurate, because it is computed without this bound.
    mutating func carry(_ move: BoxMove, by step: Step, uncertainty: ImageMotionUncertainty) -> SIMD4<Double> {
        guard step.seconds > 0 else { return .zero }
        let zoom = move.scale - 1
        let seen = SIMD4(move.x, move.y, position.z * zoom, position.w * zoom) / step.seconds
        let (size, claimed) = (Self.size(position), move.deviation / step.seconds)
        let cautious = uncertainty.variance(eachOf: step.seconds, atLeast: TrackerTuning.usualImageError)
        let noise = claimed * claimed + cautious * (size * size)
        let boldNoise = claimed * claimed + uncertainty.variance(eachOf: step.seconds) * (size * size)
        let gain = velocityVariance / (velocityVariance + noise)
        let boldGain = velocityVariance / (velocityVariance + boldNoise)
        let further = (boldGain - gain) * (seen - velocity) * step.seconds
        velocity += gain * (seen - velocity)
        velocityVariance -= gain * velocityVariance
        covariance -= gain * covariance
        predict(by: step)
        return further
    }

    /// Increases the variances as if the velocity had had the error of the image motion for the last `seconds`.
    mutating func addVelocityUncertainty(by uncertainty: ImageMotionUncertainty, over seconds: Double) {
        let size = Self.size(position)
        let uncertainVariance = uncertainty.variance * (size * size)
        velocityVariance += uncertainVariance
        covariance += uncertainVariance * seconds
        variance += uncertainVariance * (seconds * seconds)
    }

    /// Moves the box by `offset` pixels, and changes its velocity by `faster` pixels per second.
    mutating func shift(_ offset: SIMD2<Double>, faster: SIMD2<Double> = .zero) {
        position.lowHalf += offset
        velocity.lowHalf += faster
    }

    /// Returns how well a box fits the prediction, from 1 (exactly) to 0, by the Mahalanobis distance. `shift` is the
    /// camera motion in pixels that the prediction does not include.
    @inline(__always)
    func similarity(_ box: Box, shift: SIMD2<Double>) -> Double {
        let noise = Self.size(position) * TrackerTuning.similarityNoise
        let error = box.vector - position - SIMD4(shift.x, shift.y, 0, 0)
        let distance = error * error / (variance + noise * noise)
        return exp(-(distance.x + distance.y + (distance.z + distance.w) / 2) / 8)
    }

    /// Returns a factor for the standard deviation of the measurement noise. Boxes with low scores are less accurate,
    /// and their errors within ``TrackerTuning/errorCorrelation`` are correlated. With the factor, such boxes do not
    /// get more weight at a higher frame rate.
    @inline(__always)
    static func noiseFactor(score: Double, after time: Nanoseconds) -> Double {
        let share = min(1, (1 - score) * TrackerTuning.errorSteepness)
        if share <= 0 || time >= TrackerTuning.errorCorrelation { return 1 }
        let repeats = Double(TrackerTuning.errorCorrelation) / Double(max(time, 1_000_000))
        return 1 + (repeats.squareRoot() - 1) * share
    }

    private static func size(_ position: SIMD4<Double>) -> Double { (position.z * position.w).squareRoot() }
}
