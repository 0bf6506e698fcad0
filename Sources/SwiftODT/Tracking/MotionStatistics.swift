import Glibc

/// Estimates the noise parameters of the Kalman filters for one stream: the jitter of the detector's boxes (measurement
/// noise) and the acceleration of objects (process noise). Both estimates use second differences of the observed
/// positions of all tracks. An object size is the square root of a box's area.
struct MotionStatistics: Sendable {
    private var jitterVariance = SIMD4<Double>(repeating: TrackerTuning.firstJitter * TrackerTuning.firstJitter)
    private var jitterSamples = 50.0
    private var accelerationVariance = SIMD4<Double>(
        repeating: TrackerTuning.firstAcceleration * TrackerTuning.firstAcceleration)
    private var accelerationSamples = 20.0
    /// Every n-th matched track of a result contributes to the estimates, beginning with the track number `turn`.
    private var (every, turn) = (1, 0)

    /// The standard deviation of an observation in object sizes, for centre x, centre y, width and height.
    var jitter: SIMD4<Double> {
        jitterVariance.bounded(SIMD4(repeating: 0.02 * 0.02), SIMD4(repeating: 0.2 * 0.2)).squareRoot()
            * TrackerTuning.jitterCorrelation
    }

    /// The process noise for centre x, centre y, width and height. The velocity is modelled as a random walk. The unit
    /// is object sizes per second and per square root of a second.
    var accelerationNoise: SIMD4<Double> {
        accelerationVariance.bounded(SIMD4(repeating: 0.1 * 0.1), SIMD4(repeating: 3 * 3)).squareRoot()
    }

    func step(over time: Nanoseconds, heuristics: TrackerHeuristics) -> BoxKalmanFilter.Step {
        let seconds = Double(time) / 1e9
        let lasting = heuristics.contains(.sizeDamping) ? exp(-max(0, seconds) / TrackerTuning.sizeDamping) : 1
        return BoxKalmanFilter.Step(
            seconds: seconds, accelerationNoise: accelerationNoise, lasting: SIMD4(1, 1, lasting, lasting))
    }

    /// Prepares for a result with `count` matched tracks. After 1,000 samples, only about eight tracks per result are
    /// used, because the samples of a crowd are redundant. Different tracks are used in each result.
    mutating func expect(_ count: Int) {
        every = accelerationSamples < 1000 ? 1 : max(1, count / 8)
        turn = (turn + 1) % every
    }

    /// Learns from a matched track of a result. `number` is its number among the matched tracks.
    @inline(__always)
    mutating func learn(from sightings: ObservationHistory, number: Int, heuristics: TrackerHeuristics) {
        if number % every != turn { return }
        if heuristics.contains(.adaptiveJitter) { learnJitter(from: sightings) }
        if heuristics.contains(.adaptiveAcceleration) { learnAcceleration(from: sightings) }
    }

    /// Estimates the jitter from consecutive second differences of a track's boxes. Jitter makes their covariance
    /// negative: minus four times the variance of the jitter. Smooth motion of any speed does not make it negative.
    private mutating func learnJitter(from sightings: ObservationHistory) {
        guard sightings.count >= 4 else { return }
        let (a, b, c, d) = (sightings[3], sightings[2], sightings[1], sightings[0])
        let step = d.time - c.time
        guard step < 300_000_000, Self.isEven(step, c.time - b.time), Self.isEven(c.time - b.time, b.time - a.time)
        else { return }
        let size = (c.box.width * c.box.height).squareRoot()
        let earlier = (c.box.vector - b.box.vector * 2 + a.box.vector) / size
        let later = (d.box.vector - c.box.vector * 2 + b.box.vector) / size
        let limit = (jitterVariance + 0.0001) * 8
        let sample = (earlier * later * -0.25).bounded(-limit, limit)
        jitterSamples = min(jitterSamples + 1, 2000)
        jitterVariance += (sample - jitterVariance) / jitterSamples
        jitterVariance = jitterVariance.bounded(.zero, .one)
    }

    /// Estimates the acceleration from observations a third of a second apart. The estimate is a median instead of a
    /// mean, so a few swapped or occluded boxes do not raise it.
    private mutating func learnAcceleration(from sightings: ObservationHistory) {
        let c = sightings[0]
        let b = sightings.latest(upTo: c.time - TrackerTuning.accelerationSpan)
        let a = sightings.latest(upTo: b.time.adding(b.time - c.time).adding(1_000_000))
        let step = c.time - b.time
        guard step > TrackerTuning.accelerationSpan / 2, step < TrackerTuning.accelerationSpan * 3 / 2,
            Self.isEven(step, b.time - a.time)
        else { return }
        let size = (b.box.width * b.box.height).squareRoot()
        let difference = (c.box.vector - b.box.vector * 2 + a.box.vector) / size
        let seconds = Double(step) / 1e9
        let growth = seconds * seconds * seconds * 2 / 3
        // A sample above the estimated median raises the estimate, any other sample lowers it.
        let rate = 1 / min(accelerationSamples + 1, 100)
        accelerationSamples += 1
        let median = (jitterVariance * 6 + accelerationVariance * growth) * 0.4549
        accelerationVariance *= SIMD4(repeating: exp(-rate)).replacing(
            with: exp(rate), where: difference.squared .> median)
        accelerationVariance = accelerationVariance.bounded(SIMD4(repeating: 0.0025), SIMD4(repeating: 100))
    }

    private static func isEven(_ one: Nanoseconds, _ other: Nanoseconds) -> Bool {
        one > 0 && abs(one - other) < one / 5
    }
}
