import Glibc
import SwiftODT
import Synchronization

/// Limits the age and the total size of the recorded segments in a folder. The oldest segments of all cameras are
/// deleted first. Segments whose names are more than one hour in the future are deleted before these, because they were
/// recorded while the clock was wrong. Only files with the name and the content of a segment are deleted.
///
/// Ages are measured with the wall clock. For one hour after the start of the machine and after a jump of the wall
/// clock (``WallClockCheck``), ages are not checked, and segments are deleted in the order of their names. Sizes are
/// always checked.
package final class SegmentRetention: Sendable {
    /// The name of the writing application, which the header of each segment contains. Only segments that contain this
    /// name, and empty files, may be deleted.
    package static let mark = "swiftodt odt watch"
    /// If the name of a segment is later than the wall clock by more than this number of nanoseconds, the clock was
    /// wrong during its recording.
    private static let largestLead: Nanoseconds = 3_600_000_000_000

    private struct State {
        var clockCheck = WallClockCheck()
        /// The total size in bytes after the latest clean-up; `nil` before the first one.
        var total: Int?
        /// The monotonic time of the latest clean-up.
        var cleaned: Nanoseconds = .min
        /// The names of the segments in the latest clean-up, by path. Parsing all names again would take half of the time
        /// of a clean-up.
        var names: [String: SegmentName] = [:]
    }

    private struct Segment {
        let name: SegmentName
        let path: String
        let size: Int
    }

    private let folder: String
    private let longest: Nanoseconds?
    private let largest: Int?
    private let hasPictures: Bool
    private let state = Mutex(State())
    /// The minimum interval in nanoseconds between two routine clean-ups. Ages alone need fewer clean-ups than sizes.
    private var cleaningInterval: Nanoseconds { largest == nil ? 30_000_000_000 : 10_000_000_000 }

    /// - Parameters:
    ///   - longest: The maximum age of a segment in nanoseconds; `nil` for no limit.
    ///   - largest: The maximum total size of all segments in bytes; `nil` for no limit.
    ///   - hasPictures: Whether a segment may have a picture, which is deleted with the segment. The picture has the
    ///     name of the segment with the ending `.jpg`.
    package init(_ folder: String, longest: Nanoseconds?, largest: Int?, hasPictures: Bool = false) {
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        (self.longest, self.largest, self.hasPictures) = (longest, largest, hasPictures)
    }

    /// Deletes the segments that exceed a limit, except those that are being written.
    ///
    /// - Parameters:
    ///   - now: The wall-clock time in nanoseconds since 1970.
    ///   - steady: The monotonic time in nanoseconds.
    package func clean(now: Nanoseconds = WallClock.now, steady: Nanoseconds = MonotonicClock.now) {
        guard longest != nil || largest != nil else { return }
        state.withLock { state in
            state.cleaned = steady
            let isImplausible = state.clockCheck.isImplausible(wall: now, steady: steady)
            var segments = segments(&state.names)
            if let longest, !isImplausible {
                segments.removeAll { now.since($0.name.time) > longest && delete($0) }
            }
            guard let largest else { return }
            var total = segments.reduce(0) { $0 + $1.size }
            // Until the next clean-up, the folder will probably grow by as much as since the previous clean-up. Twice
            // this amount is reserved, so that the limit also holds between clean-ups. Files that were moved into the
            // folder are growth, too, so at most an eighth of the limit is reserved.
            let reserve = min(2 * max(0, total - (state.total ?? total)), largest / 8)
            let latest: Nanoseconds = isImplausible ? .max : now.adding(Self.largestLead)
            let deletionOrder = segments.filter { $0.name.time > latest } + segments.filter { $0.name.time <= latest }
            for segment in deletionOrder where total + reserve > largest {
                if delete(segment) { total -= segment.size }
            }
            state.total = total
        }
    }

    /// Calls ``clean(now:steady:)`` if the latest clean-up began at least 10 s ago, or 30 s without a maximum size.
    /// Must not be called by several threads at the same time.
    package func cleanIfDue(steady: Nanoseconds = MonotonicClock.now) {
        if steady >= state.withLock(\.cleaned).adding(cleaningInterval) { clean(steady: steady) }
    }

    /// Returns the segments of all cameras, the oldest first.
    ///
    /// - Parameter names: The parsed names by path. Names of files that no longer exist are removed.
    private func segments(_ names: inout [String: SegmentName]) -> [Segment] {
        let known = names
        names = [:]
        return PartFile.names(in: folder).filter { !$0.hasPrefix(".") }.flatMap { camera in
            PartFile.names(in: folder + camera).compactMap { file -> Segment? in
                let path = folder + camera + "/" + file
                guard let name = known[path] ?? SegmentName(file, camera: camera) else { return nil }
                names[path] = name
                var status = stat()
                guard PathText.withSystemPath(path, { lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG
                else { return nil }
                var blocks = status.st_blocks
                if hasPictures, PathText.withSystemPath(Self.picture(of: path), { lstat($0, &status) }) == 0 {
                    blocks += status.st_blocks
                }
                return Segment(name: name, path: path, size: Int(blocks) * 512)
            }
        }.sorted { ($0.name.time, $0.name.number, $0.path) < ($1.name.time, $1.name.number, $1.path) }
    }

    private func delete(_ segment: Segment) -> Bool {
        let file = PathText.withSystemPath(segment.path) { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard file >= 0 else { return false }
        defer { close(file) }
        // A process that writes the segment holds a lock on its file. An empty file is a segment whose recording was
        // interrupted before the first byte. It may be deleted.
        guard flock(file, LOCK_EX | LOCK_NB) == 0, Self.header(of: file, contains: Self.mark) ?? true else {
            return false
        }
        if hasPictures { _ = PathText.withSystemPath(Self.picture(of: segment.path)) { unlink($0) } }
        return PathText.withSystemPath(segment.path) { unlink($0) } == 0
    }

    private static func picture(of path: String) -> String { path.dropLast(4) + ".jpg" }

    /// Whether the header of a file contains a text; `nil` if the file is empty. Only the first 4,096 bytes are
    /// searched.
    package static func header(of file: Int32, contains text: String) -> Bool? {
        var head = [UInt8](repeating: 0, count: 4096)
        let count = pread(file, &head, head.count, 0)
        if count == 0 { return nil }
        let text = Array(text.utf8)
        return head[..<max(0, count)].indices.contains { head[$0..<count].starts(with: text) }
    }
}
