import Glibc
import ODTPlayback
import SwiftODT

/// The objects in a video, frame by frame.
///
///     for try await result in VideoObjects(of: "in.mp4", options: .init(multipleObjects: true)) {
///         for warning in result.warnings { print(warning) }
///         print(result.time, result.visibleObjects.compactMap(\.name))
///     }
///
/// Iterating builds a GStreamer pipeline and plays it. The pipeline of a file waits for the loop. The pipeline of a
/// live source does not wait: if the loop is too slow, results are dropped and counted in
/// ``VideoResult/droppedResults``. Cancelling the task ends the loop without an error, as after the last frame. If the
/// loop ends normally, the pipeline has already stopped, unless an element needs more than 1 s, such as the source of a
/// FIFO without a writer. After `break`, another thread stops the pipeline within about 1 s.
///
/// Errors are of the type `ODTError` and name the remedy.
public struct VideoObjects: AsyncSequence, Sendable {
    public typealias Element = VideoResult
    public typealias Failure = ODTError

    private let makeSession: @Sendable (ResultChannel) throws -> VideoSession

    /// Creates a sequence of the objects in a file, a folder of pictures, a camera or a URI.
    ///
    /// - Parameters:
    ///   - name: the path or URI, see ``VideoSource/init(_:)``.
    ///   - options: how objects are found, tracked and reported.
    public init(of name: String, options: VideoOptions = VideoOptions()) {
        self.init(of: VideoSource(name), options: options)
    }

    /// Creates a sequence of the objects in a video.
    ///
    /// - Parameters:
    ///   - source: where the video comes from.
    ///   - options: how objects are found, tracked and reported.
    public init(of source: VideoSource, options: VideoOptions = VideoOptions()) {
        self.init(source, options, recording: nil)
    }

    init(_ source: VideoSource, _ options: VideoOptions, recording: VideoSession.Recording?) {
        makeSession = { try VideoSession(source, options, recording: recording, into: $0) }
    }

    /// Creates an iterator. The pipeline starts with the first call of its `next()`.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: Run(makeSession)) }

    /// Plays the video and returns its results in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let run: Run

        /// Returns the next result; `nil` at the end of the video, or after the task was cancelled.
        ///
        /// - Throws: `ODTError` if the source cannot be read, an option is invalid, or an element of the pipeline
        ///   fails.
        public mutating func next() async throws(ODTError) -> VideoResult? { try await run.next() }

        /// Returns the next result; `nil` at the end of the video, or after the task was cancelled.
        ///
        /// - Throws: `ODTError` if the source cannot be read, an option is invalid, or an element of the pipeline
        ///   fails.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ODTError) -> VideoResult? {
            try await run.next(isolation: actor)
        }
    }

    /// The state of one loop. When the loop ends, also by `break`, the pipeline ends.
    fileprivate final class Run {
        private let makeSession: @Sendable (ResultChannel) throws -> VideoSession
        private let channel = ResultChannel()
        private var session: VideoSession?
        private var hasEnded = false
        private var entries: ArraySlice<ResultChannel.Entry> = []
        private var last = VideoResult()

        init(_ makeSession: @escaping @Sendable (ResultChannel) throws -> VideoSession) {
            self.makeSession = makeSession
        }

        deinit { session?.cancel() }

        func next(isolation actor: isolated (any Actor)? = #isolation) async throws(ODTError) -> VideoResult? {
            if hasEnded || Task.isCancelled { return await end(isolation: actor) }
            if session == nil {
                do {
                    session = try await Self.session(makeSession, channel).get()
                } catch {
                    hasEnded = true
                    throw ODTError(playback: error)
                }
                session?.start()
            }
            if entries.isEmpty { entries = await channel.take()[...] }
            guard let entry = entries.popFirst(), !Task.isCancelled else {
                let failure = channel.failure
                _ = await end(isolation: actor)
                if let failure { throw failure }
                return nil
            }
            return result(of: entry)
        }

        /// Creates the session on a separate thread, because the start of GStreamer and the test of an encoder can take
        /// seconds.
        private static func session(
            _ makeSession: @escaping @Sendable (ResultChannel) throws -> VideoSession, _ channel: ResultChannel
        ) async -> Result<VideoSession, any Error> {
            await withCheckedContinuation { continuation in
                let isStarted = DetachedThread.run {
                    continuation.resume(returning: Result { try makeSession(channel) })
                }
                if !isStarted { continuation.resume(returning: .failure(ODTError.noThread)) }
            }
        }

        /// Ends the pipeline and waits for it. An annotated file is complete or discarded afterwards.
        private func end(isolation actor: isolated (any Actor)?) async -> VideoResult? {
            hasEnded = true
            session?.cancel()
            await session?.waitForEnd()
            session = nil
            return nil
        }

        private func result(of entry: ResultChannel.Entry) -> VideoResult {
            var result = VideoResult()
            var hasFrame = false
            for message in entry.messages { hasFrame = message.read { result.add($0) } == true || hasFrame }
            if !hasFrame {
                result.isAfterLastFrame = true
                (result.time, result.width, result.height) = (last.time, last.width, last.height)
                result.zoneCounts = last.zoneCounts
                // After a failure, objects can still be in the areas.
                result.finishZones(areEmpty: channel.failure == nil)
            } else if entry.isLate, result.objects.isEmpty {
                result.isAfterLastFrame = true
            }
            result.frame = entry.frame?.with(timestamp: result.time)
            (result.droppedResults, result.warnings) = (entry.droppedResults, entry.warnings)
            last = result
            last.frame = nil
            return result
        }
    }
}

/// Where a video comes from.
public enum VideoSource: Hashable, Sendable {
    /// A video file, a V4L2 device such as `/dev/video0`, or a URI such as `rtsp://camera/stream`. Every frame of a file
    /// is processed, and a file waits for the consumer of the results.
    case media(String)
    /// The PNG and JPEG files of a folder, in the order of their names, as a video with a frame rate.
    case pictures(folder: String, framesPerSecond: Double = 30)
    /// The first elements of a pipeline in the syntax of gst-launch-1.0. The last of them delivers raw video. An
    /// example is `videotestsrc num-buffers=100 ! video/x-raw,width=640`. The elements cannot have the names `video`,
    /// `upright`, `swiftodt`, `even`, `encoder`, `mux` and `file`.
    case pipeline(String)

    /// The pictures of a folder, or the media with this path or URI.
    public init(_ name: String) {
        var status = stat()
        let exists = PathText.withSystemPath(name) { stat($0, &status) } == 0
        self = exists && status.st_mode & S_IFMT == S_IFDIR ? .pictures(folder: name) : .media(name)
    }
}

/// The objects in one frame of a video, and what has happened since the previous result.
public struct VideoResult: Sendable {
    /// Whether the result has only the events, counts and warnings after the last frame, such as the ends of tracks. It
    /// has no objects, and repeats the time and size of the last result with a frame.
    public internal(set) var isAfterLastFrame = false
    /// The time of the frame from the start of the stream.
    public internal(set) var time = MediaTime.zero
    /// The time at which the frame arrived, or was captured if the stream contains the sender's clock, in nanoseconds
    /// since 1970; `nil` for files.
    public internal(set) var captureTime: UInt64?
    /// The width of the upright frame in pixels.
    public internal(set) var width = 0
    /// The height of the upright frame in pixels.
    public internal(set) var height = 0
    /// The objects of the frame, most prominent first, with boxes in the upright frame and clipped to it. Coasting and
    /// lost objects are included; use ``visibleObjects`` to leave them out.
    public internal(set) var objects: [TrackedObject] = []
    /// The tracks that have begun, changed or ended.
    public internal(set) var trackEvents: [TrackedObjectEvent] = []
    /// The objects that have entered or left areas, or have crossed lines.
    public internal(set) var zoneEvents: [ZoneEvent] = []
    /// The counts of all zones since the beginning. With ``VideoOptions/Updates/none``, contains only zones with events.
    public internal(set) var zoneCounts: [ZoneCount] = []
    /// The pixels, if ``VideoOptions/includesFrames`` is set. `nil` if the frame passed before its result was available,
    /// which ``VideoOptions/resultInterval`` can cause.
    public internal(set) var frame: Frame?
    /// The number of results of a live source that were dropped since the previous result, because the consumer was too
    /// slow. The events of the dropped results are part of this result.
    public internal(set) var droppedResults = 0
    /// Warnings of the pipeline, with their remedies.
    public internal(set) var warnings: [String] = []

    /// The objects that were detected in this frame.
    public var visibleObjects: [TrackedObject] { objects.filter(\.isVisible) }

    /// Adds the events after the last frame to the counts.
    ///
    /// - Parameter areEmpty: whether the stream has ended, so that all objects have left the areas.
    fileprivate mutating func finishZones(areEmpty: Bool) {
        for event in zoneEvents where event.kind == .enter || event.kind == .cross {
            let index = zoneCounts.firstIndex { $0.name == event.zone } ?? zoneCounts.endIndex
            if index == zoneCounts.endIndex {
                zoneCounts.append(ZoneCount(name: event.zone, kind: event.kind == .cross ? .line : .area))
            }
            zoneCounts[index].count(event.label) { counts in
                switch event.direction {
                case nil: counts.entered += 1
                case .in: counts.in += 1
                case .out: counts.out += 1
                }
            }
        }
        for index in zoneCounts.indices where areEmpty {
            for label in zoneCounts[index].byLabel.keys { zoneCounts[index].byLabel[label]?.leaveAll() }
            zoneCounts[index].all.leaveAll()
        }
    }
}

extension ZoneCount.Counts {
    fileprivate mutating func leaveAll() { (count, left) = (0, entered) }
}
