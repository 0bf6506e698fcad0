import CGStreamer
import SwiftODT

/// Sends the custom event `swiftodt-activity` to elements upstream. It states whether objects are present, and whether
/// inference is useful. An element before the decoder can drop frames while both are false.
struct ActivityEvent {
    struct Activity: Equatable {
        /// Whether there are objects, before the selection of the most prominent ones. Tentative objects do not count.
        var hasObjects: Bool
        /// Whether inference on the next frames is likely to change the result: a track is tentative or missed, or
        /// there is motion that no track explains. Always `true` without tracking.
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

    /// Makes the next frame send an event, because a flush also clears the state of elements upstream.
    mutating func reset() { sent = nil }
}
