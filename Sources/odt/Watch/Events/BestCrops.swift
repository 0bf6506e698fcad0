import CODTGStreamer
import ODTPlayback
import SwiftODT
import Synchronization

/// Keeps the best picture of each object of one connection to a camera. The pictures are cropped from the frames that
/// leave the element. If redaction is requested, these frames are redacted.
final class BestCrops: Sendable {
    /// The pipeline description of the branch from which pictures are cropped. The pipeline must contain a tee named
    /// `seen`.
    static let description =
        " seen. ! queue name=cropped leaky=downstream max-size-buffers=1 max-size-bytes=0 max-size-time=0 ! videoconvert "
        + "! video/x-raw,format=RGBx ! fakesink name=crops sync=false async=false"
    private static let maximum = 128
    /// The minimum distance in nanoseconds between the timestamps of two examined frames.
    private static let interval: GstClockTime = 150_000_000
    /// The maximum width and height of a picture in pixels, and its maximum size in bytes.
    private static let (side, limit) = (480, 48 << 10)
    /// The margin at each edge of a picture, as a fraction of the object's width or height.
    private static let margin = 0.1

    private struct Crop {
        var score: Double
        var jpeg: [UInt8]
        /// The number of the examined frame in which the object was last seen.
        var seen: Int
    }

    /// The request for a picture of the whole frame with the box of an object.
    private struct Snapshot {
        let end: Nanoseconds
        let give: @Sendable ([UInt8]) -> Void
    }

    /// The time in nanoseconds within which the object has to be detected. After this time, the request is dropped.
    private static let patience: Nanoseconds = 3_000_000_000
    /// The maximum width and height of a snapshot in pixels.
    private static let snapshotSide = 1280

    private struct State {
        var crops: [UInt64: Crop] = [:]
        var frame = 0
        var latest: GstClockTime?
        var snapshots: [UInt64: Snapshot] = [:]
    }

    /// Whether to keep a picture of each object. If not, only requested snapshots are taken.
    private let keepsCrops: Bool
    /// The redaction of the pictures.
    let redaction: RedactionFilter?
    private let state = Mutex(State())

    init(keepsCrops: Bool, redaction: RedactionFilter?) { (self.keepsCrops, self.redaction) = (keepsCrops, redaction) }

    /// Installs probes on the pipeline's pads. The probes keep the instance alive.
    func attach(to pipeline: Pipeline) {
        pipeline["cropped"].pad("sink")?.watchBuffers { self.isWanted($0) ? .ok : .drop }
        pipeline["crops"].pad("sink")?.observeBuffers { [weak pipeline] buffer in
            if let pad = pipeline?["crops"].pad("sink") { self.take(buffer, at: pad) }
        }
    }

    /// Requests a snapshot of an object: the next frame in which the object is detected, as a JPEG file with the
    /// object's box. `give` receives the file on the streaming thread. If the object is not detected within 3 s, `give`
    /// is not called.
    func takeSnapshot(of id: UInt64, give: @escaping @Sendable ([UInt8]) -> Void) {
        let end = MonotonicClock.now + Self.patience
        state.withLock { $0.snapshots[id] = Snapshot(end: end, give: give) }
    }

    func picture(of id: UInt64) -> [UInt8]? { state.withLock { $0.crops[id]?.jpeg } }

    private func isWanted(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        let time = buffer.pointee.pts
        let isDue = state.withLock { state in
            guard keepsCrops || !state.snapshots.isEmpty else { return false }
            guard let latest = state.latest, time >= latest, time - latest < Self.interval else { return true }
            return false
        }
        guard isDue, Self.result(of: buffer)?.list("objects").isEmpty == false else { return false }
        state.withLock { $0.latest = time }
        return true
    }

    private static func result(of buffer: UnsafeMutablePointer<GstBuffer>) -> MessageFields? {
        guard let meta = gst_buffer_get_custom_meta(buffer, "SwiftOdtMeta") else { return nil }
        return gst_custom_meta_get_structure(meta).map { MessageFields($0) }
    }

    private func take(_ buffer: UnsafeMutablePointer<GstBuffer>, at pad: Pad) {
        guard let result = Self.result(of: buffer) else { return }
        let frame = state.withLock { state in
            state.frame += 1
            return state.frame
        }
        let better = result.list("objects").filter { object in
            guard let id = object.count("tracking-id"), let score = object.real("score") else { return false }
            return state.withLock { state in
                state.crops[id]?.seen = frame
                // An extrapolated box may miss the object.
                guard keepsCrops, ["new", "tracked"].contains(object.text("state")) else { return false }
                return state.crops[id].map { score > $0.score + 0.02 } ?? true
            }
        }
        let now = MonotonicClock.now
        state.withLock { state in state.snapshots = state.snapshots.filter { $0.value.end >= now } }
        let shown = result.list("objects").compactMap { object -> (MessageFields, Snapshot)? in
            guard let id = object.count("tracking-id"), ["new", "tracked"].contains(object.text("state")) else {
                return nil
            }
            return state.withLock { $0.snapshots.removeValue(forKey: id) }.map { (object, $0) }
        }
        guard !better.isEmpty || !shown.isEmpty else { return }
        pad.withPixels(of: buffer) { pixels in
            for object in better { cut(object, from: pixels, frame) }
            for (object, snapshot) in shown {
                let box = Self.box(of: object, in: pixels)
                if let jpeg = JPEGCrop().jpeg(of: pixels, marking: box, side: Self.snapshotSide) { snapshot.give(jpeg) }
            }
        }
    }

    private static func box(of object: MessageFields, in pixels: FramePixels, margin: Double = 0) -> Box {
        let edges = ["x-min", "y-min", "x-max", "y-max"].map { object.real($0) ?? 0 }
        return Box(minX: edges[0], minY: edges[1], maxX: edges[2], maxY: edges[3]).grown(by: margin)
            .scaled(x: Double(pixels.width), y: Double(pixels.height))
    }

    private func cut(_ object: MessageFields, from pixels: FramePixels, _ frame: Int) {
        let box = Self.box(of: object, in: pixels, margin: Self.margin)
        guard let id = object.count("tracking-id"), let score = object.real("score"),
            let jpeg = JPEGCrop().jpeg(of: box, in: pixels, side: Self.side, limit: Self.limit)
        else { return }
        state.withLock { state in
            state.crops[id] = Crop(score: score, jpeg: jpeg, seen: frame)
            guard state.crops.count > Self.maximum else { return }
            if let oldest = state.crops.min(by: { $0.value.seen < $1.value.seen })?.key { state.crops[oldest] = nil }
        }
    }
}
