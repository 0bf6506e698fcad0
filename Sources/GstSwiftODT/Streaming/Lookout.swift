import CGStreamer
import SwiftODT

/// Has frames looked at: decides of each whether it is and at which part, has the look begun, and keeps one that nobody waits for until
/// it is done.
///
/// Belongs to the streaming thread.
struct Lookout {
    /// A frame that has come, and who may look at it.
    struct Arrival {
        let buffer: UnsafeMutablePointer<GstBuffer>
        let glance: FrameGlance
        /// Steady running time.
        let time: Nanoseconds
        let plan: SchedulePlan
        /// `nil` while the detector is still being made.
        let source: DetectionSource?
        let foresight: Foresight

        var settings: Settings { glance.settings }
        var pace: Attention.Pace { source?.pace(settings) ?? settings.pace }
        var isGap: Bool { GstBufferReference.hasFlag(buffer, GST_BUFFER_FLAG_GAP) }
    }

    private let element: ElementHandle
    private let statistics: Statistics
    private let signals: StreamSignals
    private let recorder: DetectionRecorder?
    private var attention = Attention()
    /// Where parts are chosen.
    private var partChoice: PartChoice?
    /// keep-only-latest: the look that has begun and is not answered yet.
    private var underWay: StartedDetection?

    init(element: ElementHandle, statistics: Statistics, signals: StreamSignals, recorder: DetectionRecorder?) {
        (self.element, self.statistics, self.signals, self.recorder) = (element, statistics, signals, recorder)
    }

    // MARK: What became of looks

    /// The look that is under way, where it is done or is waited for.
    mutating func takeAnswer(isAwaited: Bool) -> StartedDetection? {
        guard let begun = underWay, isAwaited || begun.ticket.isDone else { return nil }
        underWay = nil
        return begun
    }

    /// A frame is finished: takes in what is known of its objects, as far as the next look hangs on that.
    mutating func note(_ frame: QueuedFrame, _ outlook: () -> Outlook?) {
        let (choosesParts, isPaced) = (frame.settings.choosesParts, frame.pace == .auto)
        guard choosesParts || isPaced else { return }
        let outlook = outlook()
        if choosesParts { partChoice?.note(outlook) }
        if isPaced { attention.note(outlook) }
    }

    /// Whatever is known of objects ends: the next frame is looked at, and all of it.
    mutating func forgetScene() {
        attention.reset()
        partChoice = nil
    }

    /// Another time begins, too.
    mutating func forgetEpoch() {
        underWay?.ticket.cancel()
        underWay = nil
        forgetScene()
    }

    // MARK: Looking

    /// Whether a frame may turn out to be looked at, so that it has to be mapped.
    func mayLook(at arrival: Arrival) -> Bool { attention.mayLook(occasion(arrival), at: arrival.pace) }

    /// Looks at a frame, or lets it pass.
    ///
    /// - Returns: whether it is looked at.
    mutating func look(at frame: Frame, of arrival: Arrival) throws -> Bool {
        guard let reason = attention.look(occasion(arrival), in: frame.luma, at: arrival.pace),
            let source = arrival.source
        else {
            noteSkipped(arrival)
            return false
        }
        if reason == .asked { signals.noteRequestedDetection() }
        underWay = try begin(frame, of: arrival, because: reason, by: source)
        statistics.count(reason)
        element.log(.log, "a detection has begun at the frame of \(arrival.glance.times): \(reason.rawValue)")
        return true
    }

    /// A frame goes by that need not be looked at.
    mutating func pass(_ arrival: Arrival) {
        attention.pass()
        noteSkipped(arrival)
    }

    /// A frame goes by that nobody can look at.
    mutating func miss(_ arrival: Arrival) {
        attention.pass()
        statistics.update {
            $0.skipped += 1
            $0.unseen += 1
        }
        element.log(.log, "the frame of \(arrival.glance.times) passes unseen")
    }

    private func occasion(_ arrival: Arrival) -> Attention.Occasion {
        let isFree = underWay == nil && arrival.source != nil && !arrival.isGap && !arrival.foresight.isUnseen
        return Attention.Occasion(
            time: arrival.time, isFree: isFree, isAsked: isFree && signals.wantsDetection)
    }

    private mutating func begin(
        _ frame: Frame, of arrival: Arrival, because reason: Attention.Reason, by source: DetectionSource
    ) throws -> StartedDetection {
        let foresight = try foresight(of: arrival, source)
        var options = arrival.settings.detection
        let overlapsNext = arrival.plan.overlapsSureLooks && attention.isSureOfNext
        options.isAwaited = arrival.plan.waits && arrival.plan.depth == 0 && !overlapsNext
        var part = choosePart(of: frame, because: reason, for: source, arrival.settings)
        if let part { options.view = .part(part) }
        let startedAt = MonotonicClock.now
        let ticket: DetectionTicket
        if case .answered(let detections, let seen) = foresight {
            (ticket, part) = (DetectionTicket(detections), seen)
        } else {
            ticket = try signals.interruptible(by: source.cancel) {
                try source.start(frame, of: arrival.buffer, options: options)
            }
        }
        return StartedDetection(
            ticket: ticket,
            part: part.map {
                SeenPart(
                    $0, width: frame.width, height: frame.height, pixelAspectRatio: frame.pixelAspectRatio)
            },
            overlapsNext: overlapsNext, time: arrival.time, timestamp: arrival.glance.times.timestamp,
            key: arrival.glance.key, startedAt: startedAt, source: source)
    }

    /// What has been recorded of a frame before counts, too.
    private func foresight(of arrival: Arrival, _ source: DetectionSource) throws -> Foresight {
        guard let recorder else { return arrival.foresight }
        try recorder.begin(arrival.glance, isSubstitute: source.isSubstitute)
        if case .open = arrival.foresight { return try recorder.foresee(arrival.glance) }
        return arrival.foresight
    }

    /// The part of a frame that is looked at; `nil` for all of it.
    private mutating func choosePart(
        of frame: Frame, because cause: Attention.Reason, for source: DetectionSource, _ settings: Settings
    ) -> Box? {
        guard settings.choosesParts, let input = source.inputSize else {
            partChoice = nil
            return nil
        }
        let picture = PartChoice.Picture(
            width: frame.width, height: frame.height, pixelAspectRatio: frame.pixelAspectRatio,
            turned: frame.orientation.swapsAxes, input: input)
        // Taken, not copied.
        var choice = partChoice.take() ?? PartChoice()
        let (part, reason) = choice.next(at: frame.time, because: cause, in: picture, luma: frame.luma)
        partChoice = choice
        statistics.count(reason)
        element.log(.log, "the look is at \(part.map { "\($0)" } ?? "the whole picture"): \(reason.rawValue)")
        return part
    }

    // MARK: Not looking

    private func noteSkipped(_ arrival: Arrival) {
        statistics.update { $0.skipped += 1 }
        element.log(.log, "the frame of \(arrival.glance.times) is not looked at: \(reasonToSkip(arrival))")
    }

    /// For a log.
    private func reasonToSkip(_ arrival: Arrival) -> String {
        if arrival.foresight.isUnseen { return "the recording has nothing of it" }
        if underWay != nil { return "a detection is under way" }
        if arrival.source == nil { return "the detector is still being made" }
        return arrival.isGap ? "it is marked as a gap" : "it is not its turn"
    }
}
