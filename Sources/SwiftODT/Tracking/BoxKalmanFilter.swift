import Glibc

/// Where a box is and how it moves: a constant-velocity Kalman filter for centre, width and height.
///
/// The four run apart (no noise couples them), so that each covariance is three numbers and a step costs a few vector
/// instructions. All noise grows with the object's size and with time, not with frames: the same observations at twice
/// the frame rate give the same filter.
struct BoxKalmanFilter: Sendable {
    /// Centre x, centre y, width, height, in pixels.
    var position: SIMD4<Double>
    /// Pixels a second.
    var velocity = SIMD4<Double>.zero
    private var variance: SIMD4<Double>
    private var covariance = SIMD4<Double>.zero
    private var velocityVariance: SIMD4<Double>

    init(_ box: Box, jitter: SIMD4<Double>) {
        position = box.vector
        let size = Self.size(position)
        variance = (size * jitter).squared * 2
        velocityVariance = SIMD4(repeating: size * Self.firstVelocity).squared
    }

    var box: Box { Box(position) }

    /// A step in time, the same for many filters.
    struct Step: Sendable {
        let seconds: Double
        /// How much velocities change, see ``MotionStatistics``.
        let accelerationNoise: SIMD4<Double>
        /// How much of the velocities is left after it.
        fileprivate let lasting: SIMD4<Double>

        init(seconds: Double, accelerationNoise: SIMD4<Double>) {
            self.seconds = seconds
            self.accelerationNoise = accelerationNoise
            let lasting = exp(-max(0, seconds) / BoxKalmanFilter.growth)
            self.lasting = SIMD4(1, 1, lasting, lasting)
        }
    }

    @inline(__always)
    mutating func predict(by step: Step) {
        guard step.seconds > 0 else { return }
        velocity *= step.lasting
        position += velocity * step.seconds
        keepInRange()
        spread(over: step.seconds, accelerationNoise: step.accelerationNoise)
    }

    /// Takes in an observation whose standard deviation is `jitter` object sizes.
    ///
    /// - Returns: how much of the way to it the position has come.
    @inline(__always)
    @discardableResult
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

    /// Moves on with the image: the displacement that was seen corrects the velocity first, as far
    /// as each is trusted, and the box moves by that.
    ///
    /// - Returns: how much further it would have moved if the picture were believed as far as answers have not spoken against it.
    ///   That is the better guess of where the object is, and the worse one of who is there.
    mutating func carry(_ move: BoxMove, by step: Step, uncertainty: ImageMotionUncertainty) -> SIMD4<Double> {
        guard step.seconds > 0 else { return .zero }
        let zoom = move.scale - 1
        let seen = SIMD4(move.x, move.y, position.z * zoom, position.w * zoom) / step.seconds
        let (size, claimed) = (Self.size(position), move.deviation / step.seconds)
        let noise = claimed * claimed + uncertainty.cautiousVariance(eachOf: step.seconds) * (size * size)
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

    /// Takes back that much certainty about the velocity of the last while, and so about where that has led.
    mutating func addVelocityUncertainty(by uncertainty: ImageMotionUncertainty, over seconds: Double) {
        let size = Self.size(position)
        let uncertainVariance = uncertainty.variance * (size * size)
        velocityVariance += uncertainVariance
        covariance += uncertainVariance * seconds
        variance += uncertainVariance * (seconds * seconds)
    }

    /// Moves the box, and changes its velocity, because the camera moved, not the object.
    mutating func shift(_ offset: SIMD2<Double>, faster: SIMD2<Double> = .zero) {
        position.x += offset.x
        position.y += offset.y
        velocity.x += faster.x
        velocity.y += faster.y
    }

    /// How well a box fits the prediction, 1 for exactly, falling with the squared distance in standard deviations.
    @inline(__always)
    func similarity(_ box: Box, shift: SIMD2<Double>) -> Double {
        let noise = Self.size(position) * 0.05
        let error = box.vector - position - SIMD4(shift.x, shift.y, 0, 0)
        let distance = error * error / (variance + noise * noise)
        return exp(-(distance.x + distance.y + (distance.z + distance.w) / 2) / 8)
    }

    @inline(__always)
    private mutating func spread(over step: Double, accelerationNoise: SIMD4<Double>) {
        let size = Self.size(position)
        let accelerationVariance = (size * accelerationNoise).squared
        let drift = size * Self.drift
        variance += (covariance * 2 + velocityVariance * step) * step
        variance += accelerationVariance * (step * step * step / 3) + drift * drift * step
        covariance += velocityVariance * step + accelerationVariance * (step * step / 2)
        velocityVariance += accelerationVariance * step
    }

    @inline(__always)
    private mutating func keepInRange() {
        position = position.bounded(SIMD4(-1e7, -1e7, 0.1, 0.1), SIMD4(repeating: 1e7))
        velocity = velocity.bounded(SIMD4(repeating: -1e7), SIMD4(repeating: 1e7))
    }

    private static func size(_ position: SIMD4<Double>) -> Double { (position.z * position.w).squareRoot() }

    /// Random walk of the position in object sizes per square root of a second: what a constant velocity cannot explain.
    private static let drift = 0.05
    /// Seconds in which growing and shrinking die down: what walks behind something shrinks, but not to nothing.
    private static let growth = 0.7
    /// Standard deviation of a velocity nobody has seen yet, in object sizes a second.
    private static let firstVelocity = 2.0
}

/// How a box moved from one frame to the next, as seen in the picture.
struct BoxMove: Sendable {
    /// Buffer pixels.
    var x: Double
    var y: Double
    /// How much larger it became.
    var scale: Double
    /// How sure the displacement is: one standard deviation in buffer pixels.
    var deviation: Double
}

extension Box {
    /// Centre x, centre y, width, height.
    var vector: SIMD4<Double> { SIMD4(centerX, centerY, width, height) }

    init(_ vector: SIMD4<Double>) {
        self.init(centerX: vector.x, centerY: vector.y, width: vector.z, height: vector.w)
    }
}
