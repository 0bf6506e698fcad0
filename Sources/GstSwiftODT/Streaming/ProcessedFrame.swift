import SwiftODT

/// A frame whose results are complete, before drawing and attaching metadata.
struct ProcessedFrame {
    let queued: QueuedFrame
    let report: Report
    /// The drawing content, and the boxes of tracks to redact.
    let objects: [AnnotatedObject]
    let zones: [AnnotatedZone]
    let inferenceRegions: [AnnotatedRegion]
    let redacted: [Box]
    /// The frame's number in the ``RedactionTracker``; `nil` if it is not redacted.
    let redactionNumber: Int?
    /// Whether a new epoch begins, which resets all drawing state, or a new scene, which resets the traces.
    let beginsEpoch: Bool
    let beginsScene: Bool
}
