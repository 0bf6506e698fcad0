import CGStreamer
import Glibc
import Playback
import SwiftODT

/// A piece of a camera's video on its way to the disk: a small pipeline that is fed from another one, so that a disk that is full is no
/// error of the camera's.
///
/// Its file is a part file until it is whole; each frame is in it as soon as it has come, and what came plays.
final class RecordedSegment {
    private let file: PartFile
    private let pipeline: Pipeline
    private let muxer: Element
    private let slot: Pad
    /// When the first frame is shown, in the stream.
    let start: Nanoseconds
    /// The latest time of a frame, in the stream.
    private(set) var latest: Nanoseconds
    private var synced = MonotonicClock.now

    /// - Parameters:
    ///   - folder: the camera's, with its slash.
    ///   - time: of the wall clock.
    ///   - start: of the first frame.
    /// - Throws: ``PlaybackError`` where it cannot be written.
    init(
        in folder: String, of camera: String, at time: Nanoseconds, start: Nanoseconds,
        caps: UnsafeMutablePointer<GstCaps>
    ) throws {
        file = try PartFile(Self.name(in: folder, of: camera, at: time))
        (self.start, latest) = (start, start)
        do {
            pipeline = try Pipeline(
                "matroskamux name=mux ! filesink name=file buffer-mode=unbuffered async=false sync=false")
            muxer = pipeline["mux"]
            muxer.set("writing-app", to: SegmentRetention.mark)
            pipeline["file"].setFile(file.path)
            guard let slot = muxer.requestPad("video_%u") else { throw PlaybackError("matroskamux takes no video") }
            self.slot = slot
        } catch {
            file.discard()
            throw error
        }
        gst_element_set_state(pipeline.top, GST_STATE_PLAYING)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.start = guint64(max(0, start))
        segment.time = 0
        gst_pad_send_event(slot.pointer, gst_event_new_stream_start(camera))
        gst_pad_send_event(slot.pointer, gst_event_new_caps(caps))
        gst_pad_send_event(slot.pointer, gst_event_new_segment(&segment))
    }

    var size: Int { file.size }

    /// What it is called when it is whole.
    var path: String { file.target }

    /// Writes a frame.
    ///
    /// - Throws: ``PlaybackError`` where it cannot be written; then the segment is over.
    func write(_ buffer: UnsafeMutablePointer<GstBuffer>) throws {
        latest = max(latest, Nanoseconds(clamping: UInt64(buffer.pointee.pts == .max ? 0 : buffer.pointee.pts)))
        gst_mini_object_ref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
        guard gst_pad_chain(slot.pointer, buffer) == GST_FLOW_OK else {
            throw PlaybackError(Player.problem(of: pipeline) ?? "the file cannot be written")
        }
        let now = MonotonicClock.now
        if now - synced > 5_000_000_000 {
            // A power cut takes no more than that.
            file.sync()
            synced = now
        }
    }

    /// Makes a whole file of it.
    ///
    /// - Throws: ``PlaybackError`` where it cannot be; then what it got is in a part file.
    func finish() throws {
        slot.endStream()
        let problem = Player.problem(of: pipeline)
        stop()
        do {
            if let problem { throw PlaybackError(problem) }
            try file.finish()
        } catch {
            closeFile()
            throw error
        }
    }

    /// Leaves it as it is.
    func leave() {
        stop()
        closeFile()
    }

    /// Gives up the file and the lock on it, without which it can be deleted to make room. One without a byte is worth nothing.
    private func closeFile() { if file.size == 0 { file.discard() } else { file.close() } }

    private func stop() {
        gst_element_set_state(pipeline.top, GST_STATE_NULL)
        muxer.releasePad(slot)
    }

    /// A name that no other segment has, also where a clock was set back.
    private static func name(in folder: String, of camera: String, at time: Nanoseconds) -> String {
        var number = 1
        while true {
            let name = folder + SegmentName(camera: camera, time: time, number: number).text
            if !PathText.isThere(name) { return name }
            number += 1
        }
    }
}
