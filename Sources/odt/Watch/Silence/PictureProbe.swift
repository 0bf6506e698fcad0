import CGStreamer
import GstFrames
import Playback
import SwiftODT
import Synchronization

/// Examines one frame per second before the element, and posts alarms as messages of the pipeline.
final class PictureProbe: Sendable {
    /// The minimum distance in nanoseconds between the timestamps of two examined frames.
    private static let interval: GstClockTime = 1_000_000_000

    private struct State {
        var monitor: PictureMonitor
        var latest: GstClockTime?
    }

    private let camera: String
    private let state: Mutex<State>

    init(_ camera: String, patience: Nanoseconds) {
        self.camera = camera
        state = Mutex(State(monitor: PictureMonitor(patience: patience)))
    }

    /// Installs a probe on the pipeline's element. The probe keeps the instance alive.
    func attach(to pipeline: Pipeline) {
        pipeline["swiftodt"].pad("sink")?.watchBuffers { [weak pipeline] buffer in
            let time = buffer.pointee.pts
            if let pipeline, time != .max, self.isDue(at: time), let pad = pipeline["swiftodt"].pad("sink") {
                self.take(buffer, at: time, on: pad, of: pipeline)
            }
            return .ok
        }
    }

    private func isDue(at time: GstClockTime) -> Bool {
        state.withLock { state in
            if let latest = state.latest, time >= latest, time - latest < Self.interval { return false }
            state.latest = time
            return true
        }
    }

    private func take(
        _ buffer: UnsafeMutablePointer<GstBuffer>, at time: GstClockTime, on pad: Pad, of pipeline: Pipeline
    ) {
        let format = pad.format.flatMap { StreamFormat($0) }
        let picture = format?.withFrame(of: buffer, orientation: .identity, time: 0) { LumaThumbnail($0) }
        guard let picture else { return }
        let alarms = state.withLock { $0.monitor.take(picture, at: Nanoseconds(clamping: time)) }
        let running = alarms.isEmpty ? nil : Pad.runningTime(of: buffer, at: pad.pointer)?.begin
        for alarm in alarms {
            pipeline["swiftodt"].post(alarm.message(of: camera, running: running, at: WallClock.now))
        }
    }
}
