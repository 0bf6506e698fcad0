/// How much less the picture's word about one object's motion is to be believed than it claims.
///
/// What is followed in a box may be something else than the object: the street between somebody's legs, what can be seen through
/// a frame, whatever lies behind something dark. No pair of pictures tells. But each answer of the detector shows how far off the
/// box was carried. Where that is to the same side again and again, and further than if the object had just gone on as it did
/// before, the picture deceives, and the object is left to its filter. Detections that jitter put it off to either side.
struct ImageMotionUncertainty: Sendable {
    /// Centre x, centre y, width, height, in object sizes a second, squared; negative where the picture does better.
    private var evidence = SIMD4<Double>.zero
    /// How far off the latest answer showed the box to be, in object sizes, and what had been expected without pictures.
    private var lastError = (carried: SIMD4<Double>.zero, expected: SIMD4<Double>.zero)
    /// Seconds from one answer to the next.
    private var span = 0.0
    private var isToBeJudged = false

    /// What is added to the variance of velocities that were seen, as they were from one answer to the next.
    var variance: SIMD4<Double> { evidence.bounded(.zero, Self.highest) }

    /// The same for each of the steps between two answers: what deceives does so in all of them, and together they say no more
    /// than one.
    func variance(eachOf step: Double) -> SIMD4<Double> { variance * max(1, span / step) }

    /// The same where it counts who is whom. No picture is believed more than so far: people who pass each other drag along each
    /// other's boxes, and their answers tell only when it is too late.
    func cautiousVariance(eachOf step: Double) -> SIMD4<Double> {
        evidence.bounded(SIMD4(repeating: Self.usual), Self.highest) * max(1, span / step)
    }

    /// Notes that the picture has moved the box.
    mutating func noteMove() { isToBeJudged = true }

    /// Compares where a box was carried with where it was found.
    ///
    /// - Parameter past: where it was found before.
    /// - Returns: whether the picture had moved the box since then.
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
            error.carried * lastError.carried - (error.expected * lastError.expected).bounded(.zero, Self.highest)
        let sample = (excess / (span * span)).bounded(-Self.highest, Self.highest)
        evidence += (sample - evidence) * Self.pace
        lastError = error
        return true
    }

    /// Where an object would be that went on from its latest two places; `nil` where there is but one.
    private static func expected(at time: Nanoseconds, after past: ObservationHistory) -> SIMD4<Double>? {
        guard past.count > 1, past[0].time > past[1].time else { return nil }
        let steps = Double(time - past[0].time) / Double(past[0].time - past[1].time)
        return past[0].box.vector + (past[0].box.vector - past[1].box.vector) * steps
    }

    /// Half a size a second.
    private static let usual = 0.25
    private static let highest = SIMD4<Double>(repeating: 100)
    private static let pace = 0.4
}
