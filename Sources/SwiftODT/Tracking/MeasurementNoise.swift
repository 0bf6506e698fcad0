/// Scales the measurement noise of low-score detections.
///
/// The boxes of low-score detections are less accurate: the box of a partly occluded person, for example, creeps
/// towards the occluder. The errors of consecutive boxes are correlated, so that ten boxes within a tenth of a second
/// count as one. The noise therefore grows the shorter the time between observations, and the effect does not depend
/// on the frame rate.
enum MeasurementNoise {
    /// Returns the factor on the standard deviation of a box: 1 for a score of 1, or if ``memory`` has passed since
    /// the last observation.
    @inline(__always)
    static func factor(score: Double, after time: Nanoseconds) -> Double {
        let share = min(1, (1 - score) * steepness)
        if share <= 0 || time >= memory { return 1 }
        let repeats = Double(memory) / Double(max(time, 1_000_000))
        return 1 + (repeats.squareRoot() - 1) * share
    }

    /// The correlation time of box errors.
    private static let memory: Nanoseconds = 150_000_000
    /// The full scaling applies from a score of `1 - 1 / steepness` down.
    private static let steepness = 4.0
}
