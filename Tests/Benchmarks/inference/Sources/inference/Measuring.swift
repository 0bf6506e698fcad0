import Foundation

/// Returns the seconds of a monotonic clock.
func seconds() -> Double { reading(CLOCK_MONOTONIC) }

/// Returns the CPU seconds of all threads of the process.
func processorSeconds() -> Double { reading(CLOCK_PROCESS_CPUTIME_ID) }

private func reading(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Returns the minimum and the median of this thread's CPU milliseconds for `body`. The minimum approximates the cost
/// on an idle machine.
func milliseconds(
    rounds: Int = 15, repetitions: Int = 20, _ body: () throws -> Void
) rethrows -> (minimum: Double, median: Double) {
    var all: [Double] = []
    for _ in 0..<rounds {
        let begin = reading(CLOCK_THREAD_CPUTIME_ID)
        for _ in 0..<repetitions { try body() }
        all.append((reading(CLOCK_THREAD_CPUTIME_ID) - begin) / Double(repetitions) * 1e3)
    }
    all.sort()
    return (all[0], all[all.count / 2])
}
