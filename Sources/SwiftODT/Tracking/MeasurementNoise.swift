/// How much further off a detection's box may be than the stream's boxes usually are.
///
/// A detector that is not sure of a thing is not sure of its edges either: the box of somebody half hidden creeps towards
/// whoever hides them. And it is off to the same side for a while. Ten such boxes within a tenth of a second say no more
/// than one, so that each counts the less the sooner it comes: the same second of doubt moves a track equally far at any
/// frame rate. Boxes that are sure are believed as they are.
enum MeasurementNoise {
    /// The factor by which the standard deviation of a box grows, 1 for one that is sure or comes after a while.
    @inline(__always)
    static func factor(score: Double, after time: Nanoseconds) -> Double {
        let share = min(1, (1 - score) * steepness)
        if share <= 0 || time >= memory { return 1 }
        let repeats = Double(memory) / Double(max(time, 1_000_000))
        return 1 + (repeats.squareRoot() - 1) * share
    }

    /// For so long an error of one object's boxes lasts.
    private static let memory: Nanoseconds = 150_000_000
    /// Doubt is whole from a score of 1 minus one part in so many.
    private static let steepness = 4.0
}
