import CODTGStreamer

/// Sends the custom event `swiftodt-activity` to elements upstream. It states whether objects are present, whether
/// inference is useful, and whether something moves. ``Gate`` holds back frames before the decoder while inference is
/// not useful and nothing moves.
struct ActivityEvent {
    struct Activity: Equatable {
        /// Whether there are objects. Objects that are not among the most prominent ones count, too. Tentative objects
        /// do not count.
        var hasObjects: Bool
        /// Whether inference on the next frames is likely to change the result. This is the case if a track is
        /// tentative or was not detected, or if there is motion that no track explains. Always `true` without tracking.
        var wantsInference: Bool
        /// Whether the frame differs from the frame of the latest inference, even if a track explains the difference.
        /// Without adaptive inference this is not measured, and the value equals ``hasObjects``.
        var seesMotion: Bool
        /// Whether the frame was a preview that has been dropped. The gate must first pass the frames before the
        /// preview.
        var rewinds = false
    }

    private var sent: Activity?
    private var latest: (activity: Activity, times: FrameTimes)?

    mutating func note(_ activity: Activity, at times: FrameTimes, through element: ElementHandle) {
        latest = (activity, times)
        guard activity != sent else { return }
        send(activity, at: times, through: element)
    }

    /// Sends the activity of the latest frame again. After a still picture, the gate before the decoder waits for this
    /// event.
    mutating func repeatLatest(through element: ElementHandle) {
        guard let latest else { return }
        send(latest.activity, at: latest.times, isAnswer: true, through: element)
    }

    /// - Parameter isAnswer: whether the event answers the event for a still picture. If the timestamp is earlier than
    ///   that of the still picture, the decoder has not output the picture.
    private mutating func send(
        _ activity: Activity, at times: FrameTimes, isAnswer: Bool = false, through element: ElementHandle
    ) {
        sent = activity
        element.log(
            .debug,
            "activity: objects \(activity.hasObjects), inference \(activity.wantsInference), motion "
                + "\(activity.seesMotion)")
        element.sendUpstream(
            StructureWriter.structure(
                "swiftodt-activity",
                [
                    ("objects", .boolean(activity.hasObjects)), ("inference", .boolean(activity.wantsInference)),
                    ("motion", .boolean(activity.seesMotion)), ("rewind", .boolean(activity.rewinds)),
                    ("still", .boolean(isAnswer)),
                    ("timestamp", .time(times.timestamp)),
                    ("running-time", .time(times.runningTime)),
                ]))
    }
}
