import COpenVINO
import Glibc
import Synchronization

/// Gives back what a compiler's code takes while it is at work: it runs through most of the runtime once, which adds up to 30 MB at the
/// moment when a process is largest.
enum GivingBack {
    private final class Work: Sendable {
        let isDone = Atomic(false)
    }

    /// Microseconds between two times: what is still needed comes back from its file, some milliseconds each time for all of it.
    private static let pause: useconds_t = 40_000

    static func meanwhile<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        let work = Work()
        // Without a thread it merely takes more memory.
        DetachedThread.run {
            usleep(pause)
            while !work.isDone.load(ordering: .relaxed) {
                swiftodt_openvino_give_back_code()
                usleep(pause)
            }
        }
        defer { work.isDone.store(true, ordering: .relaxed) }
        return try body()
    }
}
