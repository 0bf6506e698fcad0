import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// One connection to a camera: its pipeline, from the first picture to the last.
final class CameraSession: Sendable {
    /// How a connection ended.
    struct Ending {
        /// What went wrong; `nil` where the stream simply ended.
        var failure: String?
        /// Whether the element itself refused, for which another attempt is of no use.
        var isRefused = false
        /// Whether it was known how long the video is: then it has been watched to its end.
        var isWhole = false
        /// How long pictures came.
        var held: Nanoseconds = 0
    }

    private let pipeline: Pipeline
    private let player: Player
    private let pulse: CameraPulse
    private let hasLength: Monitor<Bool>
    private let beginIfNeeded: @Sendable () -> Void

    /// - Parameters:
    ///   - patience: a camera that sends no picture for so long is lost.
    ///   - viewers: those that want to see pictures.
    ///   - begin: is called once, when the first picture has come, by the thread that plays.
    /// - Throws: ``PlaybackError`` where there is nothing to play.
    init(
        _ plan: CameraPlan, patience: Nanoseconds, viewers: [any PictureSink],
        begin: @escaping @Sendable () -> Void, say: @escaping @Sendable (String) -> Void
    ) throws {
        let source = try MediaSource(plan.source)
        let (isFile, isShown) = (source.path != nil && !source.isCamera, !viewers.isEmpty)
        let pipeline = try Pipeline(Self.description(source, isFile: isFile, isShown: isShown))
        source.give(to: pipeline)
        let element = pipeline["swiftodt"]
        element.set("source", to: plan.name)
        for word in plan.settings { try CameraPlan.set(word, of: element) }
        // The picture is turned before it is looked at, so that what is shown and what is said of it agree.
        pipeline["upright"].set("video-direction", to: element.text(of: "orientation"))
        element.set("orientation", to: "identity")
        let (pulse, hasLength) = (CameraPulse(), Monitor(isFile))
        if let pad = pipeline["video"].pad("sink") { pulse.feel(at: pad) }
        if isShown { CameraPictures.begin(of: plan.name, in: pipeline, for: viewers) }
        let isStream = source.path == nil && plan.source.lowercased().hasPrefix("rtsp")
        let isChosen = plan.settings.contains { $0.hasPrefix("strategy=") }
        CameraSource.lead(
            pipeline["decoded"], to: pipeline["video"],
            prepare: { [weak pipeline] isKnown in
                guard let pipeline, isFile || (isKnown && !isStream) else { return }
                hasLength.update { $0 = true }
                if !isChosen { pipeline["swiftodt"].set("strategy", to: "auto") }
                Self.playWhole(pipeline, isShown: isShown)
            }, refuse: { [weak pipeline] in pipeline?.refuse($0) })
        var manners = Player.Manners()
        manners.hasBegun = { pulse.isThere }
        // Tracks that are under way end, and say so; the source itself may stall and hear nothing.
        manners.end = { [weak pipeline] in pipeline?["video"].pad("sink")?.endStream() }
        manners.survives = { !["swiftodt", "video"].contains($0) }
        manners.trouble = {
            guard !hasLength.read({ $0 }), pulse.silence > patience else { return nil }
            return "no picture for \(patience / 1_000_000_000) seconds"
        }
        let hasBegun = Monitor(false)
        let first: @Sendable () -> Void = {
            if pulse.isThere,
                !hasBegun.update({ was in
                    defer { was = true }; return was
                })
            {
                begin()
            }
        }
        manners.tick = first
        player = Player(pipeline, manners, say: say)
        beginIfNeeded = first
        (self.pipeline, self.pulse, self.hasLength) = (pipeline, pulse, hasLength)
    }

    private static func description(_ source: MediaSource, isFile: Bool, isShown: Bool) -> String {
        // A camera does not wait: what it sends while the element is at work on something else is left out.
        let (leaky, strategy) = isFile ? ("no", "auto") : ("downstream", "keep-only-latest")
        return "\(source.description) queue name=video leaky=\(leaky) max-size-buffers=3 max-size-bytes=0 "
            + "max-size-time=0 ! videoconvert ! videoflip name=upright "
            + "! swiftodt name=swiftodt multiple-objects=true strategy=\(strategy) draw=\(isShown) "
            + (isShown
                ? "! tee name=seen ! fakesink name=end sync=false" + CameraPictures.description
                : "! fakesink name=end sync=false")
    }

    /// What has an end waits for whoever looks at it: nothing is left out. Who is to be shown it sees it at its own speed.
    private static func playWhole(_ pipeline: Pipeline, isShown: Bool) {
        pipeline["video"].set("leaky", to: "no")
        if isShown { pipeline["end"].set("sync", to: "true") }
    }

    /// Plays until the stream ends, breaks, stalls, or all is to end.
    ///
    /// - Parameter hear: takes the messages, each good until it returns.
    func play(hear: (UnsafePointer<GstStructure>) -> Void) -> Ending {
        let ending = player.play { message in
            beginIfNeeded()
            hear(message)
        }
        player.stop()
        return Ending(
            failure: ending.failure,
            isRefused: !pulse.isThere && ending.failure?.hasPrefix("swiftodt: ") == true,
            isWhole: hasLength.read { $0 }, held: pulse.held)
    }
}
