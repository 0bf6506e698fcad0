import Glibc

/// The monotonic clock of the system, for the measurement of durations.
package enum MonotonicClock {
    package static var now: Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    }
}

/// The system's time of day in nanoseconds since 1970. It can jump when the clock is set. Use ``MonotonicClock`` to
/// measure durations.
package enum WallClock {
    package static var now: Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Nanoseconds(time.tv_sec).times(1_000_000_000).adding(Nanoseconds(time.tv_nsec))
    }
}
