import ODTPlayback

/// Draws the objects of a video into a copy of it. Sound and subtitles are kept.
///
///     let annotator = VideoAnnotator(options: .init(multipleObjects: true))
///     try await annotator.annotate("in.mp4", to: "annotated.mp4")
///
/// The video is written to a temporary file, which is renamed when it is complete. If the task is cancelled before
/// that or an error occurs, no file remains. If a loop over ``results(of:to:)`` ends by `break`, the temporary file is
/// removed shortly afterwards.
public struct VideoAnnotator: Sendable {
    /// How objects are found, tracked and drawn.
    public var options: VideoOptions
    /// The quality of the video, 0 to 100, default 75.
    public var quality = VideoEncoder.Quality.usual
    /// The encoder: `auto` for hardware if it works, `software`, or an element such as `vah264enc`.
    public var encoder = "auto"
    /// Whether an existing file is replaced.
    public var replacesFile = false

    /// Creates an annotator.
    public init(options: VideoOptions = VideoOptions(multipleObjects: true)) { self.options = options }

    /// Writes an annotated copy of a video.
    ///
    /// - Parameters:
    ///   - name: the path or URI of the video, see ``VideoSource/init(_:)``.
    ///   - path: the file to write; its extension selects the container: mp4, m4v, mov, mkv or webm. Missing folders
    ///     are created.
    /// - Returns: the number of frames with a result, and the warnings, see ``VideoResult``.
    /// - Throws: `ODTError` if the video cannot be read or the file cannot be written, `CancellationError` if the task
    ///   is cancelled.
    @discardableResult
    public func annotate(_ name: String, to path: String) async throws -> (frames: Int, warnings: [String]) {
        var (frames, warnings) = (0, [String]())
        for try await result in results(of: VideoSource(name), to: path) {
            if !result.isAfterLastFrame { frames += 1 }
            warnings += result.warnings
        }
        try Task.checkCancellation()
        return (frames, warnings)
    }

    /// Returns the results of a video while an annotated copy of it is written.
    ///
    /// - Parameters:
    ///   - source: where the video comes from.
    ///   - path: the file to write. It is complete after the last result. Missing folders are created.
    /// - Returns: a sequence that writes the file when it is iterated to its end.
    public func results(of source: VideoSource, to path: String) -> VideoObjects {
        VideoObjects(
            source, options,
            recording: .init(path: path, encoder: encoder, quality: quality, mayReplace: replacesFile))
    }
}
