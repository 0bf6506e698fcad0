import SwiftODT

/// A finished segment.
struct FinishedSegment: Sendable {
    let path: String
    /// The running times of the first and the last frame.
    let start: Nanoseconds
    let end: Nanoseconds
}
