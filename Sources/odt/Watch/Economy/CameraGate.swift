import CODTGStreamer
import ODTPlayback
import SwiftODT
import Synchronization

/// The gate (`swiftodtgate`) of one connection to a camera, between the parser and the decoder of the analysis. It
/// drops encoded frames while the picture is calm.
final class CameraGate: Sendable {
    /// Whether the gate is open, and the age in nanoseconds of the oldest frame that was released when the gate opened
    /// for the last time.
    typealias Figures = (isOpen: Bool, delay: UInt64)

    enum Source {
        /// A camera, which delivers frames in real time.
        case camera
        /// A file, which is read only as fast as it is analysed.
        case file
        /// A video of known duration at an address.
        case video
    }

    private struct State {
        /// The gate element. It is `nil` until the codec of the camera is known. If the gate is not used, it stays
        /// `nil`.
        var element: Element?
        var isHeldOpen = false
        /// The highest timestamp of the encoded frames so far, in nanoseconds.
        var latest: Nanoseconds = .min
        var pace = AnalysisPace()
    }

    /// While encoded frames arrive, the time without a decoded frame can be this long, in nanoseconds. It is the sum of
    /// the maximum time for which the gate keeps frames, 15 s, and the maximum delay of the analysis.
    static let longestCalm: Nanoseconds = 15_000_000_000 + AnalysisPace.overload

    /// The queue before the gate. It holds the encoded frames that arrive while the analysis processes released frames.
    static let queue = "queue name=analysis max-size-buffers=0 max-size-bytes=67108864 max-size-time=30000000000"

    private let state = Mutex(State())
    private let setsStrategy: Bool

    /// - Parameter setsStrategy: Whether to set the element's property `strategy`. False if the user has set it.
    init(setsStrategy: Bool) { self.setsStrategy = setsStrategy }

    /// Links the queue `analysis` with the decoder `coded`. If the codec is supported, a parser and the gate are
    /// inserted between them. The gate is omitted for a video of known duration at an address, and with redaction.
    ///
    /// - Parameter kind: The media type of the stream, for example `video/x-h264`.
    /// - Returns: The reason why the gate is not used; `nil` if it is used.
    func insert(into pipeline: Pipeline, for kind: String, from source: Source) throws -> String? {
        guard let parser = Self.parsers[kind] else {
            try Self.link("identity", in: pipeline)
            return "the gate needs H.264 or H.265, which this source does not send"
        }
        // All decoders accept a byte stream with repeated headers, so no second parser is needed after the gate. A
        // second parser would delay the gate's events.
        let parsed = "\(parser) config-interval=-1 ! \(kind),stream-format=byte-stream,alignment=au"
        let isVideo = source == .video
        // With redaction, the element ends all tracks after a gap between frames that is longer than `track-max-age`,
        // because the next frame may show another person. The gate causes such gaps.
        if isVideo || RedactionRequest(of: pipeline["swiftodt"]) != nil {
            try Self.link("\(parsed) ! identity", in: pipeline)
            return isVideo
                ? "the gate needs a camera or a file, and this address is a video of known duration"
                : "redaction needs all frames"
        }
        try Self.link("\(parsed) ! swiftodtgate name=gate", in: pipeline) { pipeline in
            guard source == .camera else { return }
            self.watchDelay(in: pipeline)
            // Before the queue, which holds frames while released frames are analysed.
            if let pad = pipeline["analysis"].pad("sink") { ArrivalTimestamps.note(at: pad) }
        }
        state.withLock { $0.element = pipeline["gate"] }
        return nil
    }

    private static let parsers = ["video/x-h264": "h264parse", "video/x-h265": "h265parse"]

    /// - Parameter prepare: Called before data flows through the elements of the description.
    private static func link(_ description: String, in pipeline: Pipeline, prepare: (Pipeline) -> Void = { _ in })
        throws
    {
        let chain = try pipeline.add(description)
        prepare(pipeline)
        chain.followState()
        guard let entry = chain.pad("sink"), let exit = chain.pad("src"), let decoder = pipeline["coded"].pad("sink"),
            exit.link(to: decoder), pipeline["analysis"].pad("src")?.link(to: entry) == true
        else { throw PlaybackError("GStreamer cannot link \(description)") }
    }

    /// Makes the gate pass all frames while somebody views the live pictures of the camera.
    func set(isWatched: Bool) {
        let element: Element? = state.withLock { state in
            guard let element = state.element, state.isHeldOpen != isWatched else { return nil }
            state.isHeldOpen = isWatched
            return element
        }
        element?.set("mode", to: isWatched ? "open" : "auto")
    }

    private func watchDelay(in pipeline: Pipeline) {
        pipeline["analysis"].pad("sink")?.observeBuffers { buffer in
            guard let time = Nanoseconds(exactly: buffer.pointee.pts) else { return }
            self.state.withLock { state in
                // A slightly lower timestamp belongs to a reordered frame. A much lower timestamp means that another
                // GStreamer segment has started.
                let isReordered = time > state.latest.since(AnalysisPace.overload)
                state.latest = isReordered ? max(state.latest, time) : time
            }
        }
        setPace(of: pipeline, at: "gate") { $0.notePassed(at: $1, delay: $2) }
        setPace(of: pipeline, at: "video") { $0.noteAnalysed(delay: $2) }
    }

    /// The probe must not retain this object, which retains the gate and thus the pad of the probe.
    ///
    /// - Parameter note: Receives the time and the delay of each frame that leaves the element.
    private func setPace(
        of pipeline: Pipeline, at element: String,
        _ note: @escaping @Sendable (inout AnalysisPace, Nanoseconds, Nanoseconds) -> Bool
    ) {
        pipeline[element].pad("src")?.observeBuffers { [weak self, weak pipeline] buffer in
            guard let self, let pipeline, let time = Nanoseconds(exactly: buffer.pointee.pts) else { return }
            self.state.withLock { state in
                if note(&state.pace, time, state.latest.since(time)) { self.set(state.pace.waits, in: pipeline) }
            }
        }
    }

    private func set(_ waits: Bool, in pipeline: Pipeline) {
        pipeline["video"].set("leaky", to: waits ? "no" : "downstream")
        if setsStrategy { pipeline["swiftodt"].set("strategy", to: waits ? "every-frame" : "keep-only-latest") }
    }

    // MARK: Metrics

    var figures: Figures? {
        state.withLock(\.element)?.read("stats") { stats in
            (stats.text("state") == "open", stats.count("delay") ?? 0)
        }
    }

    /// The counters of the gate. The names of nested counters contain a dot.
    var counts: [String: UInt64] {
        state.withLock(\.element)?.read("stats") { stats in
            var counts: [String: UInt64] = [:]
            for name in ["passed", "dropped"] { counts["gate.\(name)"] = stats.count(name) }
            if let openings = stats.structure("openings") {
                for name in openings.names { counts["gate-openings.\(name)"] = openings.count(name) }
            }
            return counts
        } ?? [:]
    }
}
