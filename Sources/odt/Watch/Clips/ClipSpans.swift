import ODTPlayback
import SwiftODT
import Synchronization

/// The times of the clips that are still to be saved. Events that follow each other closely share a clip.
struct ClipSpans {
    struct Span: Sendable {
        /// The running times at which the clip begins and ends, in nanoseconds.
        let start: Nanoseconds
        fileprivate(set) var end: Nanoseconds
        /// The wall-clock time at which the clip begins, in nanoseconds since 1970.
        let wall: Nanoseconds
        let picture: ClipPicture
    }

    /// A clip is not extended beyond this length in nanoseconds.
    static let longest: Nanoseconds = 60_000_000_000
    /// The maximum number of clips that are still to be saved.
    private static let maximum = 8

    private let before: Nanoseconds
    private let after: Nanoseconds
    private var spans: [Span] = []

    init(before: Nanoseconds, after: Nanoseconds) { (self.before, self.after) = (before, after) }

    var first: Span? { spans.first }

    /// Adds an event and returns whether a new clip begins. If not, the event belongs to an earlier clip, or it is
    /// dropped because too many clips are still to be saved.
    ///
    /// - Parameters:
    ///   - time: The running time of the event.
    ///   - wall: The wall-clock time of the event since 1970.
    mutating func add(at time: Nanoseconds, wall: Nanoseconds, picture: ClipPicture) -> Bool {
        // If the previous clip is still to be saved, the new clip does not begin before the end of the previous clip.
        let (start, end) = (max(0, time.since(before), spans.last?.end ?? 0), time.adding(after))
        if let last = spans.last, time <= last.end, end.since(last.start) <= max(Self.longest, before + after) {
            spans[spans.count - 1].end = max(last.end, end)
            return false
        }
        guard spans.count < Self.maximum else { return false }
        spans.append(Span(start: start, end: end, wall: wall.since(time.since(start)), picture: picture))
        return true
    }

    /// Removes and returns the first clip if it ends before a running time. Otherwise returns `nil`, for example
    /// because an event has just extended the clip.
    mutating func finish(before time: Nanoseconds) -> Span? {
        guard let first = spans.first, first.end < time else { return nil }
        return spans.removeFirst()
    }

    /// Puts back a clip that could not be saved. It becomes the first clip again.
    mutating func putBack(_ span: Span) { spans.insert(span, at: 0) }
}

/// The picture of a clip. It may be taken after the clip has ended, because detection runs later than recording.
final class ClipPicture: Sendable {
    private let wasRequested: Bool
    private let taken = Mutex<[UInt8]?>(nil)

    init(isRequested: Bool) { wasRequested = isRequested }

    /// Whether the picture was requested and has not been taken yet.
    var isRequested: Bool { wasRequested && taken.withLock { $0 == nil } }

    func use(_ jpeg: [UInt8]) { taken.withLock { $0 = jpeg } }

    /// Writes the picture beside the clip. Returns the name of the file; `nil` if there is no picture.
    func write(beside video: String) throws -> String? {
        guard let jpeg = taken.withLock({ $0 }) else { return nil }
        return PartFile.parts(of: try PartFile.write(jpeg, to: video.dropLast(4) + ".jpg")).stem + ".jpg"
    }
}
