import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// Leads what is in the input where it belongs: the first picture to the element; sound and subtitles past it into the file, as they are
/// where the container takes them, else decoded and encoded again.
///
/// All is asked on GStreamer's threads, before data flows.
final class StreamLinker: Sendable {
    private struct State {
        /// The pads at which the streams can be ended, in the order in which they came.
        var entries: [Pad] = []
        var hasVideo = false
        /// Streams that the container holds as bare samples: no decoder made them.
        var bare: Set<String> = []
    }

    private let pipeline: Pipeline
    /// The first element of the picture's way.
    private let video: Element
    /// Where sound and subtitles go; `nil` where only the picture is looked at.
    private let muxer: Element?
    private let soundEncoder: String
    private let pictureEnd = PictureEnd()
    private let notify: @Sendable (String) -> Void
    private let refuse: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - notify: says a sentence to people.
    ///   - refuse: ends the stream with an error.
    init(
        _ pipeline: Pipeline, muxer: Element?, soundEncoder: String, notify: @escaping @Sendable (String) -> Void,
        refuse: @escaping @Sendable (String) -> Void
    ) {
        (self.pipeline, self.muxer, self.soundEncoder) = (pipeline, muxer, soundEncoder)
        (self.notify, self.refuse) = (notify, refuse)
        video = pipeline["video"]
        if let slot = muxer?.pad("video_0") { pictureEnd.follow(slot) }
    }

    /// Ends all streams behind the source, which may stall and hear nothing. May block.
    func endStreams() {
        pictureEnd.endEarly()
        pipeline["swiftodt"].pad("sink")?.endStream()
        for pad in state.withLock({ $0.entries }) { pad.endStream() }
    }

    // MARK: What the decoder asks

    /// Has the decoder ask, for as long as its pipeline plays. The linker must live as long.
    func listen(to decoded: Element) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        typealias Continue =
            @convention(c) (gpointer, UnsafeMutablePointer<GstPad>, UnsafeMutablePointer<GstCaps>, gpointer) -> gboolean
        let autoplugContinue: Continue = { _, pad, caps, linker in
            let linker = Unmanaged<StreamLinker>.fromOpaque(linker).takeUnretainedValue()
            return linker.isToBeDecoded(caps, from: pad) ? 1 : 0
        }
        typealias Added = @convention(c) (gpointer, UnsafeMutablePointer<GstPad>, gpointer) -> Void
        let added: Added = { _, pad, linker in
            gst_object_ref(pad)
            Unmanaged<StreamLinker>.fromOpaque(linker).takeUnretainedValue().linkPad(Pad(pad))
        }
        typealias Complete = @convention(c) (gpointer, gpointer) -> Void
        let complete: Complete = { _, linker in
            Unmanaged<StreamLinker>.fromOpaque(linker).takeUnretainedValue().checkVideo()
        }
        g_signal_connect_data(
            decoded.gobject, "autoplug-continue", unsafeBitCast(autoplugContinue, to: GCallback.self), me, nil, GConnectFlags(0))
        g_signal_connect_data(
            decoded.gobject, "pad-added", unsafeBitCast(added, to: GCallback.self), me, nil, GConnectFlags(0))
        g_signal_connect_data(
            decoded.gobject, "no-more-pads", unsafeBitCast(complete, to: GCallback.self), me, nil, GConnectFlags(0))
    }

    /// Whether the decoder is to take a stream further apart.
    private func isToBeDecoded(_ caps: UnsafeMutablePointer<GstCaps>, from pad: UnsafeMutablePointer<GstPad>) -> Bool {
        let stream = StreamKind(caps)
        switch stream.medium {
        case .sound:
            if stream.name == "audio/x-raw", stream.isOfContainer(pad), let id = Self.id(of: pad) {
                state.withLock { _ = $0.bare.insert(id) }
            }
            return muxer == nil ? false : !(isTaken(stream, at: "audio_%u") && stream.isWhole(from: pad))
        case .subtitle: return muxer == nil ? false : !isTaken(stream, at: "subtitle_%u")
        case .other: return true
        }
    }

    /// Whether the muxer takes it, as far as what kind it is tells.
    private func isTaken(_ stream: StreamKind, at template: String) -> Bool {
        guard let muxer, let pattern = gst_element_get_pad_template(muxer.pointer, template),
            let taken = gst_pad_template_get_caps(pattern)
        else { return false }
        defer { StreamKind.release(taken) }
        return stream.isAmong(taken)
    }

    private func isBare(_ pad: Pad) -> Bool {
        Self.id(of: pad.pointer).map { id in state.withLock { $0.bare.contains(id) } } ?? false
    }

    private static func id(of pad: UnsafeMutablePointer<GstPad>) -> String? {
        guard let id = gst_pad_get_stream_id(pad) else { return nil }
        defer { g_free(id) }
        return String(cString: id)
    }

    private func checkVideo() {
        if !state.withLock({ $0.hasVideo }) { refuse("there is no video in it") }
    }

    // MARK: Where streams go

    private func linkPad(_ pad: Pad) {
        guard let caps = gst_pad_get_current_caps(pad.pointer) ?? gst_pad_query_caps(pad.pointer, nil) else { return }
        defer { StreamKind.release(caps) }
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
            guard isFirst else { return notify("it has more than one video: the first one is taken") }
            guard let entry = video.pad("sink"), pad.link(to: entry) else {
                return refuse("its pictures cannot be had: GStreamer decodes them to \(stream.text)")
            }
        }
    }

    private func linkSound(_ pad: Pad, _ stream: StreamKind) {
        guard muxer != nil else { return }
        let isAsItWas = stream.name != "audio/x-raw" || (isBare(pad) && isTaken(stream, at: "audio_%u"))
        linkPad(pad, by: isAsItWas ? stream.parser : soundEncoder, to: "audio_%u", "sound")
    }

    private func linkSubtitles(_ pad: Pad, _ stream: StreamKind) {
        guard muxer != nil else { return }
        let isMarked = stream.name == "text/x-raw" && !isTaken(stream, at: "subtitle_%u")
        guard isMarked || isTaken(stream, at: "subtitle_%u") else {
            return notify("its subtitles (\(stream.name)) are left out: this kind of file does not take them")
        }
        linkPad(pad, by: nil, to: "subtitle_%u", "subtitles", isMarked: isMarked)
    }

    /// - Parameter chain: what the stream goes through on its way into the file.
    private func linkPad(_ pad: Pad, by chain: String?, to template: String, _ what: String, isMarked: Bool = false) {
        do {
            // Whatever comes early waits here: the picture takes its time, and the other streams must not hold it up.
            let wait = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"
            let bin = try pipeline.add(chain.map { "\($0) ! \(wait)" } ?? wait)
            guard let muxer, let slot = muxer.requestPad(template) else {
                return notify("its \(what) came too late and are left out")
            }
            guard let entry = bin.pad("sink"), let exit = bin.pad("src"), exit.link(to: slot) else {
                muxer.releasePad(slot)
                return notify("its \(what) are left out: this kind of file does not take them")
            }
            if isMarked { MarkupRemoval.begin(at: entry) }
            pictureEnd.cut(slot)
            bin.followState()
            guard pad.link(to: entry, isChecked: !isMarked) else {
                // The muxer would wait for what never comes.
                muxer.releasePad(slot)
                return notify("its \(what) are left out: this kind of file does not take them")
            }
            state.withLock { $0.entries.append(entry) }
        } catch {
            notify("its \(what) are left out: \(error)")
        }
    }
}
