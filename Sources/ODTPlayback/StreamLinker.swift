import CODTGStreamer
import GstFrames
import SwiftODT
import Synchronization

/// Links the streams of the input. The first video stream goes to the `swiftodt` element. Sound and subtitles go
/// directly to the muxer. Sound is copied if the container supports its format. Otherwise it is decoded and encoded
/// again.
///
/// The signal handlers of this type run on GStreamer's streaming threads, before data flows.
package final class StreamLinker: Sendable {
    private struct State {
        /// The sink pads to which ``endStreams()`` sends the end of the sound and subtitle streams, in the order of
        /// linking.
        var entries: [Pad] = []
        var hasVideo = false
        /// The ids of the streams that the input's container stores as uncompressed samples.
        var uncompressed: Set<String> = []
    }

    private let pipeline: Pipeline
    private let video: Element
    /// The muxer for sound and subtitles; `nil` if only the video is used.
    private let muxer: Element?
    private let soundEncoder: String
    private let omitsTags: Bool
    private let pictureEnd = PictureEnd()
    private let notify: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// Connects to the signals of the pipeline's element `decoded`. The linker must outlive the pipeline, because the
    /// signals hold only a weak reference.
    ///
    /// - Parameter omitsTags: Whether the comments in the headers of sound are removed.
    package init(
        _ pipeline: Pipeline, muxer: Element?, soundEncoder: String, omitsTags: Bool = false,
        notify: @escaping @Sendable (String) -> Void
    ) {
        (self.pipeline, self.muxer, self.soundEncoder, self.notify) = (pipeline, muxer, soundEncoder, notify)
        self.omitsTags = omitsTags
        video = pipeline["video"]
        if let slot = muxer?.pad("video_0") { pictureEnd.follow(slot) }
        listen(to: pipeline["decoded"])
    }

    /// See ``AnnotationPipeline/endStreams()``.
    package func endStreams() {
        pictureEnd.endEarly()
        pipeline["swiftodt"].pad("sink")?.endStream()
        for pad in state.withLock({ $0.entries }) { pad.endStream() }
    }

    static let noVideo = "the input contains no video"

    // MARK: Callbacks of the decoder

    private func listen(to decoded: Element) {
        decoded.connect("autoplug-continue") { [weak self] call in
            guard let self else { return }
            g_value_set_boolean(call.result, isToBeDecoded(call.caps(2), from: Pad(call.object(1))) ? 1 : 0)
        }
        decoded.connect("pad-added") { [weak self] in self?.linkPad(Pad($0.object(1))) }
        decoded.connect("no-more-pads") { [weak self] _ in
            guard let self, !state.withLock({ $0.hasVideo }) else { return }
            pipeline.refuse(Self.noVideo, .invalidFile)
        }
    }

    private func isToBeDecoded(_ caps: UnsafeMutablePointer<GstCaps>, from pad: Pad) -> Bool {
        let stream = StreamKind(caps)
        switch stream.medium {
        case .sound:
            if stream.name == "audio/x-raw", stream.isOfContainer(pad.pointer), let id = Self.id(of: pad) {
                state.withLock { _ = $0.uncompressed.insert(id) }
            }
            return muxer == nil ? false : !(isSupported(stream, at: "audio_%u") && stream.isWhole(from: pad.pointer))
        case .subtitle: return muxer == nil ? false : !isSupported(stream, at: "subtitle_%u")
        case .other: return true
        }
    }

    private func isSupported(_ stream: StreamKind, at template: String) -> Bool {
        guard let muxer, let pattern = gst_element_get_pad_template(muxer.pointer, template),
            let supported = gst_pad_template_get_caps(pattern)
        else { return false }
        defer { gst_caps_unref(supported) }
        return stream.isAmong(supported)
    }

    private func isUncompressed(_ pad: Pad) -> Bool {
        Self.id(of: pad).map { id in state.withLock { $0.uncompressed.contains(id) } } ?? false
    }

    private static func id(of pad: Pad) -> String? {
        String(freeing: gst_pad_get_stream_id(pad.pointer))
    }

    // MARK: Linking

    private func linkPad(_ pad: Pad) {
        guard let caps = gst_pad_get_current_caps(pad.pointer) ?? gst_pad_query_caps(pad.pointer, nil) else { return }
        defer { gst_caps_unref(caps) }
        let stream = StreamKind(caps)
        switch stream.medium {
        case .sound: linkSound(pad, stream)
        case .subtitle: linkSubtitles(pad, stream)
        case .other:
            guard stream.name.hasPrefix("video/") || stream.name.hasPrefix("image/") else { return }
            let isFirst = state.withLock { state in
                defer { state.hasVideo = true }
                return !state.hasVideo
            }
            guard isFirst else { return notify("the input has more than one video stream: only the first one is used") }
            guard let entry = video.pad("sink"), pad.link(to: entry) else {
                return pipeline.refuse("cannot use the video stream: GStreamer decodes it to \(stream.text)")
            }
        }
    }

    private func linkSound(_ pad: Pad, _ stream: StreamKind) {
        guard muxer != nil else { return }
        let isCopied = stream.name != "audio/x-raw" || (isUncompressed(pad) && isSupported(stream, at: "audio_%u"))
        let remover = omitsTags ? stream.commentRemover(soundEncoder: soundEncoder) : nil
        linkPad(pad, by: isCopied ? remover ?? stream.parser : soundEncoder, to: "audio_%u", "sound")
    }

    private func linkSubtitles(_ pad: Pad, _ stream: StreamKind) {
        guard muxer != nil else { return }
        let hasMarkup = stream.name == "text/x-raw" && !isSupported(stream, at: "subtitle_%u")
        guard hasMarkup || isSupported(stream, at: "subtitle_%u") else {
            return notify("subtitles (\(stream.name)) are omitted: the output format does not support them")
        }
        linkPad(pad, by: nil, to: "subtitle_%u", "subtitles", hasMarkup: hasMarkup)
    }

    /// - Parameter chain: The elements between the decoder and the muxer, as in `gst-launch-1.0`; `nil` for none.
    private func linkPad(_ pad: Pad, by chain: String?, to template: String, _ what: String, hasMarkup: Bool = false) {
        do {
            // The queue is unlimited, because inference delays the video. Sound and subtitles arrive earlier, and a
            // full queue would block the video.
            let wait = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"
            let bin = try pipeline.add(chain.map { "\($0) ! \(wait)" } ?? wait)
            if omitsTags { bin.omitTagsInside() }
            guard let muxer, let slot = muxer.requestPad(template) else {
                return notify("\(what) came too late and are omitted")
            }
            guard let entry = bin.pad("sink"), let exit = bin.pad("src"), exit.link(to: slot) else {
                muxer.releasePad(slot)
                return notify("\(what) are omitted: the output format does not support them")
            }
            if hasMarkup { MarkupRemoval.begin(at: entry) }
            pictureEnd.cut(slot)
            bin.followState()
            guard pad.link(to: entry, isChecked: !hasMarkup) else {
                // An unlinked request pad would make the muxer wait forever.
                muxer.releasePad(slot)
                return notify("\(what) are omitted: the output format does not support them")
            }
            state.withLock { $0.entries.append(entry) }
        } catch {
            notify("\(what) are omitted: \(error)")
        }
    }
}
