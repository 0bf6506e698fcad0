import SwiftODT

/// The objects in a video, frame by frame.
///
///     for try await result in VideoObjects(of: "in.mp4", options: .init(multipleObjects: true)) {
///         print(result.time, result.visibleObjects.compactMap(\.name))
///     }
///
/// Iterating builds a GStreamer pipeline and plays it. A file waits for the loop. A live source does not; results that the loop is too
/// slow for are dropped and counted in ``VideoResult/droppedResults``. The pipeline ends when the loop ends, or when its task is cancelled;
/// then the loop ends as after the last frame.
///
/// Errors are of the type `ODTError` and name the remedy.
public struct VideoObjects: AsyncSequence, Sendable {
    public typealias Element = VideoResult
    public typealias Failure = ODTError

    private let source: VideoSource
    private let options: VideoOptions
    private let recording: VideoSession.Recording?

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
        (self.source, self.options, self.recording) = (source, options, recording)
    }

    /// Creates an iterator. The pipeline starts with the first call of its `next()`.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source, options, recording) }

    /// Plays the video and returns its results in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let run: Run

        init(_ source: VideoSource, _ options: VideoOptions, _ recording: VideoSession.Recording?) {
            run = Run(source, options, recording)
        }

        /// Returns the next result; `nil` at the end of the video, or after the task was cancelled.
        ///
        /// - Throws: `ODTError` if the source cannot be read, an option is invalid, or an element of the pipeline fails.
        public mutating func next() async throws(ODTError) -> VideoResult? { try await run.next() }

        /// Returns the next result; `nil` at the end of the video, or after the task was cancelled.
        ///
        /// - Parameter actor: the actor that iterates.
        /// - Throws: `ODTError` if the source cannot be read, an option is invalid, or an element of the pipeline fails.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ODTError) -> VideoResult? {
            try await run.next(isolation: actor)
        }
    }
}

extension VideoObjects {
    /// The state of one loop. When the loop ends, also by `break`, the pipeline ends.
    private final class Run {
        private let make: (ResultChannel) throws -> VideoSession
        private let channel = ResultChannel()
        private var session: VideoSession?
        private var hasEnded = false
        private var entries: ArraySlice<ResultChannel.Entry> = []
        private var last = VideoResult()

        init(_ source: VideoSource, _ options: VideoOptions, _ recording: VideoSession.Recording?) {
            make = { try VideoSession(source, options, recording: recording, into: $0) }
        }

        deinit { session?.cancel() }

        func next(isolation actor: isolated (any Actor)? = #isolation) async throws(ODTError) -> VideoResult? {
            if hasEnded || Task.isCancelled { return end() }
            if session == nil {
                do {
                    session = try make(channel)
                } catch {
                    hasEnded = true
                    throw ODTError(error)
                }
                session?.start()
            }
            if entries.isEmpty { entries = await channel.take()[...] }
            guard let entry = entries.popFirst(), !Task.isCancelled else {
                let failure = channel.failure
                _ = end()
                if let failure { throw failure }
                return nil
            }
            return result(of: entry)
        }

        private func end() -> VideoResult? {
            hasEnded = true
            session?.cancel()
            session = nil
            return nil
        }

        private func result(of entry: ResultChannel.Entry) -> VideoResult {
            var result = VideoResult()
            var hasFrame = false
            for message in entry.messages { hasFrame = message.read { result.add($0) } == true || hasFrame }
            if !hasFrame {
                // The events at the end of the stream belong to no frame.
                (result.time, result.width, result.height) = (last.time, last.width, last.height)
                result.zoneCounts = last.zoneCounts
            }
            result.frame = entry.frame?.with(timestamp: result.time)
            (result.droppedResults, result.warnings) = (entry.droppedResults, entry.warnings)
            last = result
            last.frame = nil
            return result
        }
    }
}
