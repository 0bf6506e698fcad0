import CODTGStreamer
import ODTPlayback
import SwiftODT

/// Encodes a camera's annotated frames as JPEG for the live page. Frames are encoded only while a client views the
/// camera. This branch of the pipeline drops frames instead of blocking the stream.
enum CameraPictures {
    /// The pipeline description of the branch. The pipeline must contain a tee named `seen`. Frames are scaled to at
    /// most 1,280 pixels in width and height. They are converted to RGB, because `jpegenc` does not convert the range and
    /// the matrix of YUV.
    static let description =
        " seen. ! queue name=page leaky=downstream max-size-buffers=1 max-size-bytes=0 max-size-time=0 ! videoconvert "
        + "! videoscale ! video/x-raw,format=RGB,width=[1,1280],height=[1,1280],pixel-aspect-ratio=1/1 "
        + "! jpegenc quality=75 ! fakesink name=pictures sync=false async=false"

    /// The minimum time between two pictures in nanoseconds.
    private static let pause: Nanoseconds = 100_000_000

    /// Installs probes on the pipeline's pads.
    static func begin(of camera: String, in pipeline: Pipeline, for page: LivePage) {
        let redaction = RedactionFilter(properties: RedactionRequest(of: pipeline["swiftodt"])?.properties)
        // The monotonic time at which the latest frame was passed to the encoder; `nil` before the first frame.
        let latest = Monitor<Nanoseconds?>(nil)
        pipeline["page"].pad("sink")?.watchBuffers { _ in
            guard page.wantsPictures(of: camera) else { return .drop }
            let now = MonotonicClock.now
            let isDue = latest.update { latest in
                if let before = latest, now - before < Self.pause { return false }
                latest = now
                return true
            }
            return isDue ? .ok : .drop
        }
        pipeline["pictures"].pad("sink")?.observeBuffers { buffer in
            var map = GstMapInfo()
            guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
            let jpeg = Array(UnsafeBufferPointer(start: map.data, count: Int(map.size)))
            gst_buffer_unmap(buffer, &map)
            page.take(picture: jpeg, of: camera, redaction: redaction)
        }
    }
}
