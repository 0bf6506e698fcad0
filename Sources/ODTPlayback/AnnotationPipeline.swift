import CODTGStreamer
import GstFrames
import SwiftODT

/// A pipeline that detects the objects in an input. If an output is given, it also writes a video in which the objects
/// are drawn.
///
/// Frames are rotated before inference, so that the recorded video and the reported coordinates agree.
package final class AnnotationPipeline: Sendable {
    package enum Input: Sendable {
        case media(MediaSource)
        /// The first elements of a pipeline description. The last of them delivers raw video.
        case chain(String)
        case pictures
    }

    package struct Output: Sendable {
        package let container: Container
        package let encoder: String
        package let quality: VideoEncoder.Quality

        package init(_ container: Container, encoder: String, quality: VideoEncoder.Quality) {
            (self.container, self.encoder, self.quality) = (container, encoder, quality)
        }
    }

    package let pipeline: Pipeline
    /// The value of the property `orientation` by which the frames are rotated; `nil` if the input's orientation tag
    /// specifies the rotation.
    package let appliedOrientation: String?
    /// The input must exist as long as the pipeline. GStreamer opens a FIFO twice, and the input keeps the FIFO open
    /// between the two openings.
    private let input: Input
    /// `nil` if no video is written.
    private let container: Container?
    /// `nil` if the pipeline description links the input.
    private let linker: StreamLinker?
    /// The `videocrop` element that crops frames to an even width and height. The probe on its pad holds only a weak
    /// reference to the element, so this property keeps it alive.
    private let even: Element?
    /// Whether a frame has reached the muxer. A frame that has only left `swiftodt` does not count, because it may
    /// still be lost if the stream ends early.
    private let hasRecorded = Monitor(false)

    /// - Parameters:
    ///   - properties: The properties to set, as NAME=VALUE.
    ///   - notify: Shows a message to the user. It may be called on any thread.
    /// - Throws: ``PlaybackError`` if an element is missing or a property is invalid.
    package init(
        _ input: Input, output: Output?, properties: [String], notify: @escaping @Sendable (String) -> Void
    ) throws {
        let isChain = if case .chain = input { true } else { false }
        let pipeline = try Pipeline(Self.description(input, output), isFromUser: isChain)
        if case .media(let source) = input { source.setAddress(in: pipeline) }
        let (element, upright) = (pipeline["swiftodt"], pipeline["upright"])
        for property in properties { try PropertySetting.set(property, of: element) }
        let orientation = element.text(of: "orientation")
        upright.set("video-direction", to: orientation)
        element.set("orientation", to: "identity")
        appliedOrientation = orientation == "auto" ? nil : orientation
        if output != nil, appliedOrientation != nil { pipeline["mux"].set(comment: Self.comment) }
        // The tags of the input can contain an unredacted picture and the place of the recording.
        let omitsTags = output != nil && RedactionRequest(of: element) != nil
        if omitsTags { pipeline["mux"].ignoreTags() }
        (self.pipeline, self.input) = (pipeline, input)
        container = output?.container
        even = output == nil ? nil : pipeline["even"]
        if case .media = input {
            linker = StreamLinker(
                pipeline, muxer: output == nil ? nil : pipeline["mux"],
                soundEncoder: output?.container.soundEncoder ?? "", omitsTags: omitsTags, notify: notify)
        } else {
            linker = nil
        }
    }

    /// The comment in the tags of an output whose input was rotated by ``appliedOrientation``. It distinguishes the
    /// output, which is upright, from the input.
    private static let comment = "turned upright by odt annotate"

    /// Returns whether an event has the tags of such an output.
    package static func isUpright(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_TAG else { return false }
        var tags: UnsafeMutablePointer<GstTagList>?
        gst_event_parse_tag(event, &tags)
        var text: UnsafeMutablePointer<CChar>?
        return gst_tag_list_get_string(tags, GST_TAG_COMMENT, &text) != 0 && String(freeing: text) == comment
    }

    /// The names of the elements that follow the input.
    private static let reservedNames = ["video", "upright", "swiftodt", "even", "encoder", "mux", "file"]

    private static func description(_ input: Input, _ output: Output?) throws -> String {
        if case .chain(let description) = input {
            let words = description.split(whereSeparator: \.isWhitespace)
            if let name = reservedNames.first(where: { words.contains("name=\($0)") }) {
                throw PlaybackError(
                    "the pipeline has an element with the reserved name '\(name)'; use another name than "
                        + reservedNames.joined(separator: ", "), isUsage: true)
            }
        }
        let (source, isLive): (String, Bool) =
            switch input {
            case .media(let source): (source.description, source.isCamera)
            case .chain(let description): (description + " !", false)
            case .pictures: ("identity name=entry !", false)
            }
        let chain = "\(source) videoconvert name=video ! videoflip name=upright ! swiftodt name=swiftodt"
        guard let output else { return "\(chain) draw=false ! fakesink name=file sync=false" }
        let encoder = try VideoEncoder.choose(
            output.container.codec, requested: output.encoder, quality: output.quality)
        return "\(chain) ! queue ! videoconvert ! video/x-raw,format=\(encoder.format) ! videocrop name=even "
            + "! \(encoder.description(quality: output.quality, isLive: isLive)) "
            + "! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! \(output.container.muxer) name=mux "
            + "! filesink name=file buffer-mode=unbuffered"
    }

    /// - Throws: ``PlaybackError`` if no container format has this extension. The text lists the valid extensions.
    package static func container(of video: String) throws -> Container {
        guard let container = Container.named(PartFile.parts(of: video).ending) else {
            throw PlaybackError(
                "\(video) needs one of the extensions \(Container.endings.joined(separator: ", "))", isUsage: true)
        }
        return container
    }

    /// Sets the output file, and installs the probes that crop frames to an even size, refuse other frame sizes for
    /// H.264 and note whether frames were written. Has to be called before the pipeline plays.
    package func write(to file: PartFile) {
        pipeline["file"].setFile(file.path)
        EncoderStart.correct(at: pipeline["encoder"])
        let slot = pipeline["mux"].pad("video_0")
        let hasRecorded = hasRecorded
        slot?.watchBuffers { _ in
            hasRecorded.update { $0 = true }
            return .remove
        }
        guard let even, let container else { return }
        // The size before the first frame can differ: the orientation of a file is known only after its first caps.
        let hasFrames = Monitor(false)
        even.pad("sink")?.watchBuffers { _ in
            hasFrames.update { $0 = true }
            return .remove
        }
        let first = Monitor<(width: Int, height: Int)?>(nil)
        even.pad("sink")?.watchEvents { [weak even, weak pipeline] event in
            guard event.pointee.type == GST_EVENT_CAPS else { return .ok }
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            var picture = GstVideoInfo()
            guard gst_video_info_from_caps(&picture, caps) != 0 else { return .ok }
            let size = (width: Int(picture.width) & ~1, height: Int(picture.height) & ~1)
            let before = first.update { first in
                let before = hasFrames.read { $0 } ? first ?? size : size
                first = before
                return before
            }
            // The header of a file with H.264 has only one size, so the muxer would fail or write a damaged file. After
            // the end of the stream, the pad refuses the frames that follow.
            if before != size, container.codec == .h264 {
                pipeline?.refuse(
                    "the size of the frames changes from \(before.width)x\(before.height) to "
                        + "\(size.width)x\(size.height), which \(container.endings[0]) files do not support; "
                        + "write a .webm file",
                    .unsupported)
                even?.pad("sink")?.endStream()
                return .drop
            }
            // H.264 with subsampled chroma needs an even width and height. An odd last row or column of pixels is
            // cropped.
            even?.set("right", to: String(picture.width % 2))
            even?.set("bottom", to: String(picture.height % 2))
            // The muxer uses a timescale of 90,000 units per second if the frame rate is variable or if the frame
            // duration is a whole number of these units. For other frame rates the muxer's default timescale is more
            // exact.
            if let slot, picture.fps_n == 0 || 90_000 * Int(picture.fps_d) % Int(picture.fps_n) == 0 {
                slot.set("trak-timescale", to: "90000")
            }
            return .ok
        }
    }

    /// Ends the video, sound and subtitle streams downstream of the source, because a stalled source does not react to
    /// events. May block.
    package func endStreams() {
        if let linker { return linker.endStreams() }
        pipeline["swiftodt"].pad("sink")?.endStream()
    }

    /// See ``MediaSource/explain(_:)``.
    package func explain(_ ending: inout Player.Ending) {
        if case .media(let source) = input { source.explain(&ending) }
    }

    /// Returns whether the file contains at least one frame. Call it after the stream has ended.
    package func isUsable(_ file: PartFile, after ending: Player.Ending) -> Bool {
        // The stream was interrupted, and the player did not wait for its end. The file is incomplete, even if it
        // contains a frame.
        if ending.failure == nil, !ending.isWhole { return false }
        guard file.size != 0, hasRecorded.read({ $0 }) else { return false }
        // After a signal, a frame that reached the muxer may still be missing from the file.
        guard ending.failure == nil, ending.signal != nil, let container else { return true }
        return container.holdsPicture(file.path)
    }
}
