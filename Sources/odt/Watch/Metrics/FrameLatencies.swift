import CODTGStreamer
import ODTPlayback
import SwiftODT
import Synchronization

/// Measures the times of a camera's frames over all its connections: the wait in the queue before the element, and the
/// latency from the arrival of a frame until the element has processed it. Counts the frames that the queue dropped.
final class FrameLatencies: Sendable {
    struct Figures {
        var received = 0
        /// The number of frames that were dropped because the element was busy.
        var dropped = 0
        var wait = DurationHistogram()
        var latency = DurationHistogram()
        /// The monotonic time at which the latest frame arrived.
        var latest: Nanoseconds?
    }

    private struct Frame {
        let timestamp: GstClockTime
        let arrival: Nanoseconds
    }

    private struct State {
        var figures = Figures()
        /// The frames in the queue, the oldest first.
        var queued: [Frame] = []
        /// The encoded frames that have arrived and have not been processed yet, in decoding order. Empty without the
        /// gate.
        var encoded: [Frame] = []
        /// The frames between the queue and the end of the pipeline, the oldest first.
        var processed: [Frame] = []
    }

    /// The maximum number of frames that are remembered in each part of the pipeline.
    private static let maximum = 64
    /// The maximum number of encoded frames that are remembered if the gate is used.
    private static let maximumEncoded = 2048

    private let state = Mutex(State())

    var figures: Figures { state.withLock(\.figures) }

    /// Installs probes on a pipeline. The probes keep the instance alive.
    ///
    /// - Parameter entry: The name of the element at which encoded frames arrive if the gate (`swiftodtgate`) is used;
    ///   `nil` without the gate. With the gate, the latency begins at this element.
    func attach(to pipeline: Pipeline, encodedAt entry: String?) {
        state.withLock { ($0.queued, $0.processed, $0.encoded) = ([], [], []) }
        if let entry {
            pipeline[entry].pad("sink")?.observeBuffers { buffer in
                let frame = Frame(timestamp: buffer.pointee.pts, arrival: MonotonicClock.now)
                self.state.withLock { state in
                    state.figures.received += 1
                    state.figures.latest = frame.arrival
                    Self.append(frame, to: &state.encoded, maximum: Self.maximumEncoded)
                }
            }
        }
        pipeline["video"].pad("sink")?.observeBuffers { buffer in
            let frame = Frame(timestamp: buffer.pointee.pts, arrival: MonotonicClock.now)
            self.state.withLock { state in
                if entry == nil {
                    state.figures.received += 1
                    state.figures.latest = frame.arrival
                }
                Self.append(frame, to: &state.queued)
            }
        }
        pipeline["video"].pad("src")?.observeBuffers { buffer in
            let (timestamp, now) = (buffer.pointee.pts, MonotonicClock.now)
            self.state.withLock { state in
                guard let (frame, dropped) = Self.take(timestamp, from: &state.queued) else { return }
                state.figures.dropped += dropped
                state.figures.wait.note(now - frame.arrival)
                Self.append(frame, to: &state.processed)
            }
        }
        pipeline["end"].pad("sink")?.observeBuffers { buffer in
            let (timestamp, now) = (buffer.pointee.pts, MonotonicClock.now)
            self.state.withLock { state in
                guard let (frame, _) = Self.take(timestamp, from: &state.processed) else { return }
                state.figures.latency.note(now - (Self.takeEncoded(timestamp, from: &state) ?? frame.arrival))
            }
        }
    }

    /// Removes the encoded frame with this timestamp and all encoded frames with earlier timestamps. The earlier frames
    /// have been processed or dropped.
    ///
    /// - Returns: The arrival of the encoded frame; `nil` if it is unknown.
    private static func takeEncoded(_ timestamp: GstClockTime, from state: inout State) -> Nanoseconds? {
        let arrival = state.encoded.first { $0.timestamp == timestamp }?.arrival
        state.encoded.removeAll { $0.timestamp <= timestamp }
        return arrival
    }

    private static func append(_ frame: Frame, to frames: inout [Frame], maximum: Int = maximum) {
        frames.append(frame)
        if frames.count > maximum { frames.removeFirst() }
    }

    /// Removes the frame with this timestamp and the frames before it. The queue keeps the order of frames, so the
    /// frames before it have been dropped.
    ///
    /// - Returns: The frame and the number of frames before it; `nil` if there is no such frame.
    private static func take(_ timestamp: GstClockTime, from frames: inout [Frame]) -> (frame: Frame, dropped: Int)? {
        guard let place = frames.firstIndex(where: { $0.timestamp == timestamp }) else { return nil }
        defer { frames.removeFirst(place + 1) }
        return (frames[place], place)
    }
}
