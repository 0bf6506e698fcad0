import Glibc

/// The time on a clock that only goes forward, for measuring how long things take.
public enum MonotonicClock {
    public static var now: Nanoseconds {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Nanoseconds(time.tv_sec) * 1_000_000_000 + Nanoseconds(time.tv_nsec)
    }
}
