import CODTGStreamer
import CODTTurboJPEG
import Glibc
import GstFrames
import ODTPlayback
import SwiftODT
import Synchronization

/// Writes the best picture of each track as a JPEG file when the track ends. The picture is cropped from the frame in
/// which the object has its highest score, before annotations are drawn.
///
/// Memory use: the frames whose messages have not been processed yet, and one cropped picture per active track.
final class TrackPictures: Sendable {
    /// A frame as it enters the element.
    private struct Frame {
        let buffer: HeldBuffer
        let info: GstVideoInfo
    }

    private struct Best {
        let score: Double
        let picture: ColorPicture
    }

    /// The maximum number of held frames. A frame is held until the element's message about it is processed. If
    /// messages are not processed in time, the oldest frames are dropped.
    private static let maximumFrames = 256

    private let folder: String
    /// Whether the folder did not exist before.
    private let isNew: Bool
    private let frames = Monitor<[Frame]>([])
    private let best = Mutex<[UInt64: Best]>([:])
    /// The scores and file names of the written pictures by track id. A track that is re-identified ends several times.
    private let written = Mutex<[UInt64: (score: Double, name: String)]>([:])

    init(into folder: String, from pipeline: Pipeline) throws {
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        isNew = !PathText.exists(folder)
        try PartFile.makeFolder(folder)
        pipeline["swiftodt"].pad("sink")?.observeBuffers { [weak pipeline] buffer in
            guard let info = pipeline?["swiftodt"].pad("sink")?.format else { return }
            self.frames.update { frames in
                frames.append(Frame(buffer: HeldBuffer(buffer), info: info))
                if frames.count > Self.maximumFrames { frames.removeFirst() }
            }
        }
    }

    /// Processes a `swiftodt` message. Crops and keeps the picture of each object that was detected in this frame with
    /// a higher score than in all earlier frames.
    func see(_ message: MessageFields) {
        guard let frame = frame(at: message.count("timestamp")) else { return }
        for object in message.list("objects") {
            guard let id = object.count("tracking-id"), let score = object.real("score"),
                object.count("time-since-update") == 0,
                best.withLock({ $0[id].map { $0.score < score } ?? true }), let picture = cut(object, out: frame)
            else { continue }
            best.withLock { $0[id] = Best(score: score, picture: picture) }
        }
    }

    /// Gives the best picture of a track the id that replaces its id.
    func rename(_ id: UInt64, to other: UInt64) {
        best.withLock { best in
            guard let picture = best.removeValue(forKey: id) else { return }
            if best[other].map({ $0.score < picture.score }) ?? true { best[other] = picture }
        }
    }

    /// Processes a `swiftodt-track` message. If the track has ended, writes its picture, except if an earlier picture of
    /// the track has a higher score.
    func end(_ message: MessageFields) throws {
        guard message.text("event") == "end", !message.isReidentification, let id = message.count("tracking-id"),
            let best = best.withLock({ $0.removeValue(forKey: id) })
        else { return }
        let earlier = written.withLock { $0[id] }
        guard earlier.map({ $0.score < best.score }) ?? true, let jpeg = best.picture.jpeg() else { return }
        let name = Self.name(id, label: message.text("label") ?? "")
        written.withLock { $0[id] = (best.score, name) }
        try PartFile.write(jpeg, to: folder + name)
        if let earlier, earlier.name != name { PathText.withSystemPath(folder + earlier.name) { _ = unlink($0) } }
    }

    /// Deletes the folder if it is new and contains no picture.
    func discardEmptyFolder() { if isNew { PathText.withSystemPath(folder) { _ = rmdir($0) } } }

    /// Returns the file name of a track's picture, for example `00007-person.jpg`. The leading zeros make names sort by
    /// track id. Characters of the label other than letters and digits are replaced by `-`.
    static func name(_ id: UInt64, label: String) -> String {
        let digits = String(id)
        let word = String(label.map { $0.isLetter || $0.isNumber ? $0 : "-" }.prefix(40))
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits + (word.isEmpty ? "" : "-" + word)
            + ".jpg"
    }

    /// Returns the frame with this timestamp (nanoseconds) and releases all earlier frames; `nil` if no such frame is
    /// held.
    private func frame(at time: UInt64?) -> Frame? {
        guard let time else { return nil }
        return frames.update { frames in
            guard let place = frames.firstIndex(where: { UInt64($0.buffer.pointer.pointee.pts) == time }) else {
                return nil
            }
            frames.removeFirst(place)
            return frames.first
        }
    }

    /// Crops the object's box with a margin of 10% of its size on each side.
    private func cut(_ object: MessageFields, out frame: Frame) -> ColorPicture? {
        guard let x = object.count("x"), let y = object.count("y"), let width = object.count("width"),
            let height = object.count("height"), width > 0, height > 0
        else { return nil }
        let (right, bottom) = (Int(frame.info.width), Int(frame.info.height))
        let (marginX, marginY) = (Int(width) / 10, Int(height) / 10)
        let left = max(0, min(Int(x) - marginX, right - 1)) & ~1
        let top = max(0, min(Int(y) - marginY, bottom - 1)) & ~1
        return ColorPicture(
            frame.buffer.pointer, frame.info, x: left, y: top, width: min(right, Int(x) + Int(width) + marginX) - left,
            height: min(bottom, Int(y) + Int(height) + marginY) - top)
    }
}

/// A part of a frame, cropped and converted to RGB.
struct ColorPicture: Sendable {
    let width: Int
    let height: Int
    private let stride: Int
    private let pixels: [UInt8]

    /// Crops a frame of any pixel format. Only the cropped part is converted.
    init?(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo, x: Int, y: Int, width: Int, height: Int
    ) {
        guard width > 0, height > 0 else { return nil }
        var (from, into) = (info, GstVideoInfo())
        guard gst_video_info_set_format(&into, GST_VIDEO_FORMAT_RGB, guint(width), guint(height)) != 0,
            let piece = gst_buffer_new_allocate(nil, into.size, nil)
        else { return nil }
        // GstVideoConverter requires equal frame rates and equal interlacing.
        (into.fps_n, into.fps_d, into.interlace_mode) = (from.fps_n, from.fps_d, from.interlace_mode)
        defer { gst_buffer_unref(piece) }
        let place = gst_structure_new_empty("GstVideoConverter")!
        for (name, value) in [("src-x", x), ("src-y", y), ("src-width", width), ("src-height", height)] {
            var number = GValue()
            g_value_init(&number, FundamentalType.int)
            g_value_set_int(&number, Int32(value))
            gst_structure_take_value(place, "GstVideoConverter." + name, &number)
        }
        guard let converter = gst_video_converter_new(&from, &into, place) else { return nil }
        defer { gst_video_converter_free(converter) }
        var (source, target) = (GstVideoFrame(), GstVideoFrame())
        guard gst_video_frame_map(&source, &from, buffer, GST_MAP_READ) != 0 else { return nil }
        defer { gst_video_frame_unmap(&source) }
        guard gst_video_frame_map(&target, &into, piece, GST_MAP_WRITE) != 0 else { return nil }
        defer { gst_video_frame_unmap(&target) }
        gst_video_converter_frame(converter, &source, &target)
        stride = Int(target.info.stride.0)
        guard let memory = target.data.0 else { return nil }
        pixels = Array(UnsafeRawBufferPointer(start: memory, count: stride * height))
        (self.width, self.height) = (width, height)
    }

    func jpeg() -> [UInt8]? {
        JPEGCompressor().file(
            of: pixels, TJPF_RGB, width: width, height: height, stride: stride, quality: 90, isFine: true)
    }
}
