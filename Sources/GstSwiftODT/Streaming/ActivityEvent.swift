import CGStreamer
import SwiftODT

/// Tells elements upstream what the element does, by the custom event `swiftodt-activity`. An element before the
/// decoder can drop frames while there is nothing to see.
struct ActivityEvent {
    /// What the event says.
    struct Activity: Equatable {
        /// Whether objects are present, reported or not.
        var hasObjects: Bool
        /// Whether inference on the next frames is likely to change the result: objects are tentative or missed, or
        /// something moves that no object explains. Always `true` without tracking.
        var wantsInference: Bool
    }

    private var sent: Activity?

    /// Sends an event if the activity has changed.
    mutating func note(_ activity: Activity, at times: FrameTimes, through element: ElementHandle) {
        guard activity != sent else { return }
        sent = activity
        element.log(.debug, "activity: objects \(activity.hasObjects), inference \(activity.wantsInference)")
        element.sendUpstream(
            StructureWriter.structure(
                "swiftodt-activity",
                [
                    ("objects", .boolean(activity.hasObjects)), ("inference", .boolean(activity.wantsInference)),
                    ("timestamp", .time(times.timestamp)), ("running-time", .time(times.runningTime)),
                ]))
    }

    /// The next frame sends an event in any case, because elements upstream forget at a flush, too.
    mutating func reset() { sent = nil }
}
