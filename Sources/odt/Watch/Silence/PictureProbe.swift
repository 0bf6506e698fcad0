import CODTGStreamer
import GstFrames
import ODTPlayback
import SwiftODT

/// Examines one frame per second before the element, and posts alarms as messages of the pipeline.
enum PictureProbe {
    /// The minimum distance in nanoseconds between the timestamps of two examined frames.
    private static let interval: GstClockTime = 1_000_000_000

    /// Installs a probe on the pipeline's element.
    static func attach(to pipeline: Pipeline, of camera: String, patience: Nanoseconds) {
        let monitor = Monitor(PictureMonitor(patience: patience))
        let latest = Monitor<GstClockTime?>(nil)
        pipeline["swiftodt"].pad("sink")?.observeBuffers { [weak pipeline] buffer in
            let time = buffer.pointee.pts
            guard let pipeline, time != .max else { return }
            let isDue = latest.update { latest in
                if let before = latest, time >= before, time - before < Self.interval { return false }
                latest = time
                return true
            }
            guard isDue, let pad = pipeline["swiftodt"].pad("sink"), let info = pad.format,
                let format = StreamFormat(info),
                let picture = format.withFrame(of: buffer, orientation: .identity, time: 0, { LumaThumbnail($0) })
            else { return }
            let alarms = monitor.update { $0.take(picture, at: Nanoseconds(clamping: time)) }
            let running = alarms.isEmpty ? nil : Pad.runningTime(of: buffer, at: pad.pointer)?.begin
            for alarm in alarms {
                pipeline["swiftodt"].post(alarm.message(of: camera, running: running, at: WallClock.now))
            }
        }
    }
}
