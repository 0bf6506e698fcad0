import SwiftODT

/// A frame whose results are complete: only its pixels and metadata are still as they came.
struct ProcessedFrame {
    let queued: QueuedFrame
    let report: Report
    /// What is drawn, and where the scene's tracks have to be redacted.
    let objects: [AnnotatedObject]
    let zones: [AnnotatedZone]
    let looks: [AnnotatedRegion]
    let redacted: [Box]
    /// Its number in the ``RedactionTracker``, where it has one.
    let redactionNumber: Int?
    /// Whether what was drawn into the frames before means nothing any more, or their traces alone.
    let beginsEpoch: Bool
    let beginsScene: Bool
}
