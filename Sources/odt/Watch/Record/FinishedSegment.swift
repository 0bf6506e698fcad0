import SwiftODT

/// A recorded segment whose file is complete.
struct FinishedSegment: Sendable {
    let path: String
    /// The running time of the segment's first frame, in nanoseconds.
    let start: Nanoseconds
    /// The running time of the segment's last frame, in nanoseconds.
    let end: Nanoseconds
}
