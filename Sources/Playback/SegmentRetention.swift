import Glibc
import SwiftODT
import Synchronization

/// Keeps a folder of recorded segments within what was asked for: the oldest go first, whichever camera's they are. What it does not
/// find to be a segment, by name and by content, it leaves alone.
///
/// Ages are told by the wall clock, as far as it is believed (``WallClockCheck``). Sizes need no clock.
public final class SegmentRetention: Sendable {
    /// What segments carry in their first bytes, as the program that wrote them.
    public static let mark = "swiftodt odt watch"
    /// How often it is seen to that there is room, where nobody needs it at once.
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
    ///   - longest: how old a segment may become.
    ///   - largest: how many bytes all may have together.
    public init(_ folder: String, longest: Nanoseconds?, largest: Int?) {
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        (self.longest, self.largest) = (longest, largest)
    }

    /// Deletes what is to go. Segments that are being written stay.
    ///
    /// - Parameters:
    ///   - now: of the wall clock.
    ///   - steady: of a clock that only goes forward.
    public func clean(now: Nanoseconds = WallClock.now, steady: Nanoseconds = MonotonicClock.now) {
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
            // Room for twice what came since the last time: it may come until the next.
            let growth = max(0, total - (state.total ?? total))
            for segment in segments where total + 2 * growth > largest {
                if delete(segment) { total -= segment.size }
            }
            state.total = total
        }
    }

    /// The same once in a while, whoever asks: all cameras share a folder.
    public func cleanIfDue(steady: Nanoseconds = MonotonicClock.now) {
        let isDue = state.withLock { state in
            guard steady > state.cleaned.adding(Self.round) else { return false }
            // Nobody else begins meanwhile.
            state.cleaned = steady
            return true
        }
        if isDue { clean(steady: steady) }
    }

    /// All segments, the oldest first.
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

    /// - Returns: whether it is gone.
    private func delete(_ segment: Segment) -> Bool {
        let file = PathText.withSystemPath(segment.path) { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard file >= 0 else { return false }
        defer { close(file) }
        // Whoever still writes it holds a lock on it.
        guard flock(file, LOCK_EX | LOCK_NB) == 0, Self.isOurs(file) else { return false }
        return PathText.withSystemPath(segment.path) { unlink($0) } == 0
    }

    private static func isOurs(_ file: Int32) -> Bool {
        var head = [UInt8](repeating: 0, count: 4096)
        let count = pread(file, &head, head.count, 0)
        // One that was cut off before its first byte says nothing, and is worth nothing.
        if count == 0 { return true }
        guard count > 0 else { return false }
        let mark = Array(mark.utf8)
        return head[..<count].indices.contains { head[$0..<count].starts(with: mark) }
    }
}
