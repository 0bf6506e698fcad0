import SwiftODT

/// A recorded segment that is whole.
struct FinishedSegment: Sendable {
    let path: String
    /// The running times of its first and its last frame.
    let start: Nanoseconds
    let end: Nanoseconds
}
