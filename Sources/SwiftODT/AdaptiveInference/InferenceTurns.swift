/// Decides which of the streams that share the processors runs the next inference.
///
/// A stream claims a turn when an inference is useful for a frame. It repeats the claim at each further frame until it
/// gets the turn or withdraws the claim. A turn goes to the stream with the oldest claim. Each unit of utility adds
/// ``timePerUtility`` to the age of a claim. The utility is limited, so a claim cannot overtake another claim that is
/// more than 4 s older. Therefore, no stream starves.
///
/// A stream can take a turn only when it has a frame. Each claim therefore reserves a turn for 1.5 frame intervals of
/// the stream, but at most for ``longestReservation``. The stream normally repeats the claim at its next frame, before
/// the reservation ends. A reservation blocks an inference of another stream only if this inference would probably not
/// end before the next frame of the reserving stream. Otherwise, the processors would be idle.
///
///     var turns = InferenceTurns()
///     if turns.ask(stream, utility: 3, interval: 40_000_000, at: now) != nil { startInference { turns.end(at: now) } }
package struct InferenceTurns: Sendable {
    /// The maximum number of inferences in flight. While an inference runs, the next inference is already queued, so
    /// the processors are not idle between the two.
    static let maximumInFlight = 2
    /// The age in nanoseconds that equals one unit of utility.
    static let timePerUtility: Double = 400_000_000
    /// The upper limit of the utility of a claim. Utility above this limit has no effect.
    static let maximumUtility = 10.0
    /// The maximum duration of a reservation, in nanoseconds. If the stream's next frame comes after the end of the
    /// reservation, other streams may get turns before this stream.
    package static let longestReservation: Nanoseconds = 250_000_000

    private struct Claim {
        var since: Nanoseconds
        var utility: Double
        /// The expected time of the stream's next frame.
        var nextFrame: Nanoseconds
        /// The time at which the reservation ends. Until then, the claim can block claims with a greater ``rank``.
        var end: Nanoseconds

        /// The start of the claim in nanoseconds, moved back by ``timePerUtility`` for each unit of utility. The claim
        /// with the smallest rank gets the next turn.
        var rank: Double { Double(since) - utility * InferenceTurns.timePerUtility }
    }

    private var claims: [Int: Claim] = [:]
    /// The start times of the inferences in flight, in nanoseconds.
    private var starts: [Nanoseconds] = []
    /// The mean time in nanoseconds from the start of an inference to its end.
    private var duration: Nanoseconds = 0

    package init() {}

    /// Claims a turn for a stream, or updates its claim. If the stream gets the turn, returns how long the stream has
    /// waited, in nanoseconds. Otherwise returns `nil`. After the inference, call ``end(at:)``.
    ///
    /// - Parameters:
    ///   - interval: the time in nanoseconds until the stream's next frame. The stream calls this function again at
    ///     that frame.
    ///   - isWaiting: whether a frame waits for the turn. The stream then calls this function again as soon as an
    ///     inference has ended, at the latest after `interval`.
    ///   - now: a monotonic time in nanoseconds.
    package mutating func ask(
        _ stream: Int, utility: Double, interval: Nanoseconds, isWaiting: Bool = false, at now: Nanoseconds
    ) -> Nanoseconds? {
        let reservation = min(max(0, interval).adding(max(0, interval) / 2), Self.longestReservation)
        let claim = Claim(
            since: claims[stream]?.since ?? now, utility: min(max(0, utility), Self.maximumUtility),
            nextFrame: isWaiting ? now : now.adding(max(0, interval)), end: now.adding(reservation))
        claims[stream] = claim
        guard starts.count < Self.maximumInFlight,
            !claims.contains(where: { other, claimed in
                other != stream && claimed.end >= now && claimed.nextFrame <= now.adding(duration)
                    && claimed.rank < claim.rank
            })
        else { return nil }
        claims[stream] = nil
        starts.append(now)
        return now - claim.since
    }

    package mutating func withdraw(_ stream: Int) { claims[stream] = nil }

    /// Ends the oldest inference in flight.
    package mutating func end(at now: Nanoseconds) {
        let time = max(0, now - starts.removeFirst())
        duration = duration == 0 ? time : duration + (time - duration) / 8
    }

    /// Cancels the latest inference in flight, which could not be started.
    package mutating func cancel() { starts.removeLast() }
}
