import Glibc
import SwiftODT
import Synchronization

/// Limits the age and the total size of the recorded segments in a folder. Deletes the oldest segments of all
/// cameras first. Files that are not segments by name and content are never deleted.
///
/// Ages are measured by the wall clock while it is plausible (``WallClockCheck``). Sizes do not depend on a clock.
package final class SegmentRetention: Sendable {
    /// The name of the writing application in the first bytes of each segment. It marks files that may be deleted.
    package static let mark = "swiftodt odt watch"
    /// The interval between two routine clean-ups.
    private static let round: Nanoseconds = 10_000_000_000

    private struct State {
        var clockCheck = WallClockCheck()
        var total: Int?
        var cleaned: Nanoseconds = .min
    }

    private struct Segment {
        let name: SegmentName
        let path: String
        let size: Int
    }

    private let folder: String
    private let longest: Nanoseconds?
    private let largest: Int?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - longest: The maximum age of a segment.
    ///   - largest: The maximum size of all segments in bytes.
    package init(_ folder: String, longest: Nanoseconds?, largest: Int?) {
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        (self.longest, self.largest) = (longest, largest)
    }

    /// Deletes the segments that exceed a limit. Segments that are being written are kept.
    ///
    /// - Parameters:
    ///   - now: The time of the wall clock.
    ///   - steady: The time of a monotonic clock.
    package func clean(now: Nanoseconds = WallClock.now, steady: Nanoseconds = MonotonicClock.now) {
        guard longest != nil || largest != nil else { return }
        state.withLock { state in
            state.cleaned = steady
            let isImplausible = state.clockCheck.isImplausible(wall: now, steady: steady)
            var segments = segments()
            if let longest, !isImplausible {
                segments.removeAll { now.since($0.name.time) > longest && delete($0) }
            }
            guard let largest else { return }
            var total = segments.reduce(0) { $0 + $1.size }
            // Reserves twice the growth since the last clean-up, because the folder may grow as fast until the next
            // one.
            let growth = max(0, total - (state.total ?? total))
            for segment in segments where total + 2 * growth > largest {
                if delete(segment) { total -= segment.size }
            }
            state.total = total
        }
    }

    /// Calls ``clean(now:steady:)`` if the last clean-up is more than 10 s ago. All cameras share one folder and
    /// may all call this.
    package func cleanIfDue(steady: Nanoseconds = MonotonicClock.now) {
        let isDue = state.withLock { state in
            guard steady > state.cleaned.adding(Self.round) else { return false }
            // Prevents another thread from starting a clean-up at the same time.
            state.cleaned = steady
            return true
        }
        if isDue { clean(steady: steady) }
    }

    /// Returns all segments, the oldest first.
    private func segments() -> [Segment] {
        PartFile.names(in: folder).filter { !$0.hasPrefix(".") }.flatMap { camera in
            PartFile.names(in: folder + camera).compactMap { file -> Segment? in
                guard let name = SegmentName(file, camera: camera) else { return nil }
                let path = folder + camera + "/" + file
                var status = stat()
                guard PathText.withSystemPath(path, { lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG
                else { return nil }
                return Segment(name: name, path: path, size: Int(status.st_blocks) * 512)
            }
        }.sorted { ($0.name.time, $0.name.number, $0.path) < ($1.name.time, $1.name.number, $1.path) }
    }

    /// - Returns: Whether the segment was deleted.
    private func delete(_ segment: Segment) -> Bool {
        let file = PathText.withSystemPath(segment.path) { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard file >= 0 else { return false }
        defer { close(file) }
        // A writer of the segment holds a lock on the file.
        guard flock(file, LOCK_EX | LOCK_NB) == 0, Self.isOurs(file) else { return false }
        return PathText.withSystemPath(segment.path) { unlink($0) } == 0
    }

    private static func isOurs(_ file: Int32) -> Bool {
        var head = [UInt8](repeating: 0, count: 4096)
        let count = pread(file, &head, head.count, 0)
        // An empty file, which was interrupted before its first byte, has no mark and no content worth keeping.
        if count == 0 { return true }
        guard count > 0 else { return false }
        let mark = Array(mark.utf8)
        return head[..<count].indices.contains { head[$0..<count].starts(with: mark) }
    }
}
