import CODTGStreamer
import SwiftODT

/// Pushes the pictures of a folder into a pipeline as the frames of a video.
///
/// The frames have the format BGRx. If a picture has another size than the previous picture, new caps are sent first.
package final class PictureFeed: Sendable {
    private let files: [String]
    private let frameDuration: Nanoseconds
    private let output: Pad
    private let pipeline: Pipeline

    /// - Parameters:
    ///   - folder: A folder with PNG and JPEG files. They are shown in the order of their names.
    ///   - framesPerSecond: The frame rate of the video, 0.001 to 1,000.
    ///   - pipeline: A pipeline whose element `entry` receives the frames.
    /// - Throws: ``PlaybackError`` if the folder contains no picture or the frame rate is out of range.
    package init(folder: String, framesPerSecond: Double, to pipeline: Pipeline) throws {
        let names = PartFile.names(in: folder).filter { name in
            [".png", ".jpg", ".jpeg"].contains(PartFile.parts(of: name).ending.lowercased())
        }
        guard !names.isEmpty else {
            throw PlaybackError(
                "\(folder) contains no PNG or JPEG file; check the path and the permissions",
                PathText.exists(folder) ? .invalidFile : .fileNotFound)
        }
        guard framesPerSecond.isFinite, framesPerSecond >= 0.001, framesPerSecond <= 1000 else {
            throw PlaybackError("the frame rate \(framesPerSecond) is out of range; use 0.001 to 1000", isUsage: true)
        }
        files = names.sorted().map { folder + "/" + $0 }
        frameDuration = Nanoseconds(1e9 / framesPerSecond)
        output = Pad(gst_pad_new("pictures", GST_PAD_SRC))
        self.pipeline = pipeline
        gst_pad_set_active(output.pointer, 1)
        guard let entry = pipeline["entry"].pad("sink"), output.link(to: entry, isChecked: false) else {
            throw PlaybackError("cannot link the pictures")
        }
    }

    /// Pushes all pictures on a separate thread. Call it when the pipeline accepts data.
    package func start() {
        if !DetachedThread.run({ self.push() }) { pipeline.refuse("\(ODTError.noThread)", ODTError.noThread.reason) }
    }

    private func push() {
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_pad_push_event(output.pointer, gst_event_new_stream_start("pictures"))
        var size = (width: 0, height: 0)
        for (number, file) in files.enumerated() {
            do {
                let frame = try Frame(contentsOfFile: file)
                if size != (frame.width, frame.height) {
                    let caps = caps(of: frame)
                    gst_pad_push_event(output.pointer, gst_event_new_caps(caps))
                    gst_caps_unref(caps)
                    if number == 0 { gst_pad_push_event(output.pointer, gst_event_new_segment(&segment)) }
                    size = (frame.width, frame.height)
                }
                pushOrientation(of: frame)
                let status = gst_pad_push(output.pointer, try buffer(of: frame, number))
                // If the push fails, the pipeline is stopping, or an element has posted its own error.
                guard status == GST_FLOW_OK else { return }
            } catch {
                return pipeline.refuse("\(error)", ODTError(playback: error).reason)
            }
        }
        gst_pad_push_event(output.pointer, gst_event_new_eos())
    }

    private func caps(of frame: Frame) -> UnsafeMutablePointer<GstCaps> {
        gst_caps_from_string(
            "video/x-raw, format=BGRx, width=\(frame.width), height=\(frame.height), pixel-aspect-ratio=1/1, "
                + "framerate=\(1_000_000_000_000 / frameDuration)/1000")
    }

    private func buffer(of frame: Frame, _ number: Int) throws -> UnsafeMutablePointer<GstBuffer>? {
        let buffer = frame.withUnsafeBytes(ofPlane: 0) { bytes, _ in
            gst_buffer_new_memdup(bytes.baseAddress, gsize(bytes.count))
        }
        guard let buffer else {
            throw ODTError(.failed, "cannot allocate a frame; use smaller pictures or free memory")
        }
        buffer.pointee.pts = GstClockTime(frameDuration.times(number))
        buffer.pointee.duration = GstClockTime(frameDuration)
        return buffer
    }

    private func pushOrientation(of frame: Frame) {
        let name =
            switch frame.orientation {
            case .identity: "rotate-0"
            case .rotate90: "rotate-90"
            case .rotate180: "rotate-180"
            case .rotate270: "rotate-270"
            case .flipHorizontal: "flip-rotate-0"
            case .flipVertical: "flip-rotate-180"
            case .transpose: "flip-rotate-270"
            case .transverse: "flip-rotate-90"
            }
        guard let tags = gst_tag_list_new_from_string("taglist, image-orientation=(string)\(name)") else { return }
        gst_pad_push_event(output.pointer, gst_event_new_tag(tags))
    }
}
