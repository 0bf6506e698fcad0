import CGStreamer
import Playback
import SwiftODT
import Synchronization

/// Pictures of a camera with what is drawn in, as JPEG files for the live page: made while somebody looks, in a branch of their own that
/// never holds the stream up.
final class CameraPictures: Sendable {
    /// The branch, for a pipeline whose tee is called `seen`. No larger than a phone or a laptop shows.
    static let description =
        " seen. ! queue name=page leaky=downstream max-size-buffers=1 max-size-bytes=0 max-size-time=0 ! videoconvert "
        + "! videoscale ! video/x-raw,width=[1,1280],height=[1,1280],pixel-aspect-ratio=1/1 ! jpegenc quality=75 "
        + "! fakesink name=pictures sync=false async=false"

    private let camera: String
    private let sinks: [any PictureSink]
    private let state: Mutex<State>

    private struct State {
        /// When each sink was last promised a picture.
        var latest: [Nanoseconds?]
        /// Whom the next picture is for.
        var isDue: [Bool]
    }

    /// The pads of the pipeline hold on to it.
    static func begin(of camera: String, in pipeline: Pipeline, for sinks: [any PictureSink]) {
        let pictures = CameraPictures(of: camera, for: sinks)
        pipeline["page"].pad("sink")?.watchBuffers { _ in pictures.isWanted(at: MonotonicClock.now) ? .goOn : .drop }
        pipeline["pictures"].pad("sink")?.watchBuffers { buffer in
            pictures.hand(buffer)
            return .goOn
        }
    }

    private init(of camera: String, for sinks: [any PictureSink]) {
        (self.camera, self.sinks) = (camera, sinks)
        state = Mutex(
            State(
                latest: [Nanoseconds?](repeating: nil, count: sinks.count),
                isDue: [Bool](repeating: false, count: sinks.count)))
    }

    private func isWanted(at now: Nanoseconds) -> Bool {
        var isWanted = false
        for (number, sink) in sinks.enumerated() where sink.wantsPictures(of: camera) {
            let pause = 1_000_000_000 / Nanoseconds(max(1, sink.picturesPerSecond))
            state.withLock { state in
                if let latest = state.latest[number], now - latest < pause { return }
                state.latest[number] = now
                state.isDue[number] = true
                isWanted = true
            }
        }
        return isWanted
    }

    private func hand(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
        let jpeg = Array(UnsafeBufferPointer(start: map.data, count: Int(map.size)))
        gst_buffer_unmap(buffer, &map)
        let isDue = state.withLock { state in
            defer { for number in state.isDue.indices { state.isDue[number] = false } }
            return state.isDue
        }
        for (number, sink) in sinks.enumerated() where isDue[number] { sink.take(picture: jpeg, of: camera) }
    }
}
