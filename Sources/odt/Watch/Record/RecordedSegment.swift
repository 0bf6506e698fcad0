import CODTGStreamer
import Glibc
import ODTPlayback
import SwiftODT

/// Writes one segment of a camera's video to a file. It has its own small pipeline, so that write errors, for example
/// on a full disk, do not stop the camera's pipeline.
///
/// The file has a temporary name until it is finished. Each frame is written at once, so an interrupted file can be
/// played.
final class RecordedSegment {
    private let file: PartFile
    private let pipeline: Pipeline
    private let muxer: Element
    private let slot: Pad
    /// The timestamp of the segment's first frame in nanoseconds.
    let start: Nanoseconds
    /// The highest timestamp of the frames written so far, in nanoseconds.
    private(set) var latest: Nanoseconds
    /// The monotonic time of the latest synchronization with the disk.
    private var synced = MonotonicClock.now

    /// - Parameters:
    ///   - folder: The camera's folder, ending in a slash.
    ///   - time: The wall-clock time of the first frame, in nanoseconds since 1970.
    ///   - start: The timestamp of the first frame in nanoseconds.
    init(
        in folder: String, of camera: String, at time: Nanoseconds, start: Nanoseconds, content: RecordedContent,
        caps: UnsafeMutablePointer<GstCaps>
    ) throws {
        file = try PartFile(Self.name(in: folder, of: camera, at: time))
        (self.start, latest) = (start, start)
        do {
            pipeline = try Pipeline(
                "matroskamux name=mux ! filesink name=file buffer-mode=unbuffered async=false sync=false")
            muxer = pipeline["mux"]
            muxer.set("writing-app", to: content.mark)
            pipeline["file"].setFile(file.path)
            guard let slot = muxer.requestPad("video_%u") else { throw PlaybackError("matroskamux has no video pad") }
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

    /// The final path of the file.
    var path: String { file.target }

    /// Writes a frame. After a failure, the segment is unusable.
    func write(_ buffer: UnsafeMutablePointer<GstBuffer>) throws {
        latest = max(latest, Nanoseconds(clamping: UInt64(buffer.pointee.pts == .max ? 0 : buffer.pointee.pts)))
        gst_buffer_ref(buffer)
        guard gst_pad_chain(slot.pointer, buffer) == GST_FLOW_OK else {
            throw PlaybackError(Player.problem(of: pipeline) ?? "cannot write the file")
        }
        let now = MonotonicClock.now
        if now - synced > 5_000_000_000 {
            // Flushing the file regularly limits the loss after a power failure to about 5 s.
            file.sync()
            synced = now
        }
    }

    /// Finishes the file and renames it to its final name. After a failure, the file keeps its temporary name.
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

    /// Closes the file without finishing it. The file keeps its temporary name.
    func leave() {
        stop()
        closeFile()
    }

    /// Closes the file without finishing it, and deletes it.
    func discard() {
        leave()
        delete()
    }

    /// Deletes a file that was closed without finishing it.
    func delete() { _ = PathText.withSystemPath(file.path) { unlink($0) } }

    /// Closes the file and releases its lock, so that the retention limits can delete the file. An empty file is
    /// deleted.
    private func closeFile() { if file.size == 0 { file.discard() } else { file.close() } }

    private func stop() {
        gst_element_set_state(pipeline.top, GST_STATE_NULL)
        muxer.releasePad(slot)
    }

    /// Returns an unused file name. A number distinguishes segments that begin at the same time, which occurs when the
    /// clock is set back, or if an earlier connection still writes.
    private static func name(in folder: String, of camera: String, at time: Nanoseconds) -> String {
        var number = 1
        while true {
            let name = folder + SegmentName(camera: camera, time: time, number: number).text
            if !PathText.exists(name), !PathText.exists(name.dropLast(4) + ".part.mkv") { return name }
            number += 1
        }
    }
}

struct FinishedSegment: Sendable {
    let path: String
    /// The running time of the segment's first frame, in nanoseconds.
    let start: Nanoseconds
    /// The running time of the segment's last frame, in nanoseconds.
    let end: Nanoseconds
}
