import CODTVersion
import Glibc
import ODTPlayback
import SwiftODT
import Synchronization

/// The data of `/metrics` and `/healthz`.
final class MetricsBoard: WatchSink {
    private typealias Sample = MetricsText.Sample

    private struct Listed {
        var metrics = CameraMetrics()
        /// The counters of the element, summed over the ended connections.
        var counts: [String: UInt64] = [:]
        var session: CameraSession?
    }

    private struct State {
        var cameras: [String: Listed] = [:]
        /// The names of the cameras of the current configuration, in its order.
        var names: [String] = []
        var sinks: [any MeasuredSink] = []
    }

    private let state: Mutex<State>
    private let start = WallClock.now
    /// The folder of the recordings and the path of the database, whose sizes are reported; `nil` for none.
    private let recordFolder: String?
    private let storeFile: String?
    private let savesClips: Bool

    init(_ options: WatchOptions, cameras: [String]) {
        (recordFolder, storeFile) = (options.text("record"), options.text("store"))
        savesClips = options.text("clips") != nil
        state = Mutex(State(cameras: Dictionary(uniqueKeysWithValues: cameras.map { ($0, Listed()) }), names: cameras))
    }

    func add(_ sinks: [any MeasuredSink]) { state.withLock { $0.sinks += sinks } }

    func use(_ cameras: [ConfiguredCamera]) {
        state.withLock { state in
            state.names = cameras.map(\.name)
            for name in state.names where state.cameras[name] == nil { state.cameras[name] = Listed() }
        }
    }

    func take(_ message: WatchMessage) {
        state.withLock { $0.cameras[message.camera, default: Listed()].metrics.take(message.fields) }
    }

    func take(_ segment: FinishedSegment, of camera: String) {
        // The size is read without the lock, because a disk that does not respond would block all cameras.
        let bytes = FileBytes.size(segment.path) ?? 0
        state.withLock { $0.cameras[camera, default: Listed()].metrics.noteSegment(bytes: bytes) }
    }

    func times(of camera: String) -> FrameLatencies {
        state.withLock { $0.cameras[camera, default: Listed()].metrics.times }
    }

    /// Reports the counters of a connection until ``end(of:)`` is called.
    func begin(_ session: CameraSession, of camera: String) {
        state.withLock { $0.cameras[camera, default: Listed()].session = session }
    }

    func end(of camera: String) {
        state.withLock { state in
            guard let session = state.cameras[camera]?.session else { return }
            state.cameras[camera]?.counts.merge(session.elementCounts, uniquingKeysWith: &+)
            state.cameras[camera]?.session = nil
        }
    }

    // MARK: Health

    /// The answer of `/healthz`. `isGood` means that no output has stopped for good, and that a camera is connected or
    /// all cameras have ended properly. Outputs that cannot write at present, for example because the disk is full, are
    /// only named: a restart would not help. `text` describes all problems.
    var health: (isGood: Bool, text: String) {
        let (cameras, sinks) = state.withLock { state in
            (state.names.map { ($0, state.cameras[$0] ?? Listed()) }, state.sinks)
        }
        let connected = cameras.filter { $0.1.metrics.state == "connected" }.count
        let away = cameras.map { ($0, $1.metrics) }.filter { ["lost", "waiting"].contains($0.1.state) }
        let broken = sinks.compactMap(\.problem)
        let failing = writeStates(of: cameras.map { $0.1 }, sinks).filter { $0.isFailing }.map { $0.output }
        let isGood = broken.isEmpty && (connected > 0 || away.isEmpty)
        var lines =
            ["\(isGood ? "ok" : "failing"): \(connected) of \(CountText.text(cameras.count, "camera")) connected"]
            + away.map { name, metrics in "\(name): \(metrics.state)\(metrics.reason.map { ": \($0)" } ?? "")" }
            + broken
        if !failing.isEmpty { lines.append("failing outputs: \(failing.joined(separator: ", "))") }
        return (isGood, lines.joined(separator: "\n"))
    }

    /// The outputs that save video or messages, and whether the latest attempt of each to write has failed.
    private func writeStates(
        of cameras: [Listed], _ sinks: [any MeasuredSink]
    ) -> [(output: String, isFailing: Bool)] {
        let recorders = cameras.compactMap { $0.session?.recorder }
        var states: [(output: String, isFailing: Bool)] = []
        if recordFolder != nil { states.append(("record", recorders.contains { $0.isFailing })) }
        if savesClips { states.append(("clips", recorders.contains { $0.clips?.isFailing == true })) }
        return states + sinks.compactMap { $0.writeState }
    }

    // MARK: Metrics

    var text: String {
        let (cameras, sinks) = state.withLock { state in
            (
                state.names.compactMap { name in state.cameras[name].map { (name: name, listed: $0) } }, state.sinks
            )
        }
        var text = MetricsText()
        text.add("swiftodt_build_info", .gauge, "Version of odt.", [Sample(["version": SWIFTODT_VERSION], 1)])
        addProcess(to: &text)
        addConnections(of: cameras.map { ($0.name, $0.listed.metrics) }, to: &text)
        addFrames(of: cameras.map { ($0.name, $0.listed.metrics.times.figures) }, to: &text)
        addCounts(
            of: cameras.map { name, listed in
                (name, listed.counts.merging(listed.session?.elementCounts ?? [:], uniquingKeysWith: &+))
            }, to: &text)
        addGates(
            of: cameras.compactMap { name, listed in listed.session?.gate?.figures.map { (name, $0) } }, to: &text)
        addObjects(of: cameras.map { ($0.name, $0.listed.metrics) }, to: &text)
        addStorage(of: cameras.map { ($0.name, $0.listed.metrics) }, to: &text)
        text.add(
            "swiftodt_output_failing", .gauge,
            "Whether the latest attempt to write failed; for record and clips, of connected cameras only.",
            writeStates(of: cameras.map(\.listed), sinks).map { Sample(["output": $0.output], $0.isFailing ? 1 : 0) })
        for sink in sinks { sink.measure(into: &text) }
        return text.text
    }

    private func addProcess(to text: inout MetricsText) {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        text.add(
            "process_cpu_seconds_total", .counter, "CPU time of the process in seconds.",
            [Sample([:], Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)])
        text.add(
            "process_start_time_seconds", .gauge, "Start of the process in seconds since 1970.",
            [Sample([:], Double(start) / 1e9)])
        let pages = (try? ByteStream.read("/proc/self/statm")).map { String(decoding: $0, as: UTF8.self) }
        if let resident = pages?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) {
            text.add(
                "process_resident_memory_bytes", .gauge, "Resident memory in bytes.",
                resident * sysconf(Int32(_SC_PAGESIZE)))
        }
        text.add("process_open_fds", .gauge, "Open file descriptors.", PartFile.names(in: "/proc/self/fd").count)
    }

    private func addConnections(of cameras: [(String, CameraMetrics)], to text: inout MetricsText) {
        text.add(
            "swiftodt_camera_connected", .gauge, "Whether the camera is connected.",
            cameras
        ) { $0.state == "connected" ? 1 : 0 }
        text.add(
            "swiftodt_camera_connections_total", .counter, "Connections to the camera.", cameras, \.connectionCount)
        text.add(
            "swiftodt_camera_losses_total", .counter, "Times that the camera was lost.", cameras, \.lossCount)
        text.add(
            "swiftodt_camera_problem", .gauge,
            "Whether the picture is covered, frozen, of another scene, or without objects.",
            cameras.flatMap { name, metrics in
                CameraAlarm.Problem.allCases.map { problem in
                    Sample(
                        ["camera": name, "problem": problem.rawValue],
                        metrics.problems.names.contains(problem.rawValue) ? 1 : 0)
                }
            })
    }

    private func addFrames(of cameras: [(String, FrameLatencies.Figures)], to text: inout MetricsText) {
        let now = MonotonicClock.now
        text.add(
            "swiftodt_frames_received_total", .counter, "Frames received from the camera.", cameras, \.received)
        text.add(
            "swiftodt_frames_dropped_total", .counter, "Frames dropped because detection was busy.", cameras, \.dropped)
        text.add(
            "swiftodt_frame_age_seconds", .gauge, "Time since the latest frame.",
            cameras.compactMap { name, figures in
                figures.latest.map { Sample(["camera": name], Double(now - $0) / 1e9) }
            })
        text.add(
            "swiftodt_queue_wait_seconds", "Wait of a frame in the queue before detection.",
            cameras.map { ($0, $1.wait) })
        text.add(
            "swiftodt_frame_latency_seconds", "Time from the arrival of a frame until it is processed.",
            cameras.map { ($0, $1.latency) })
    }

    private func addCounts(of cameras: [(String, [String: UInt64])], to text: inout MetricsText) {
        for (field, name, help) in [
            ("frames", "swiftodt_frames_processed_total", "Frames processed by the element."),
            ("detections", "swiftodt_detections_total", "Finished detections."),
            ("skipped", "swiftodt_frames_skipped_total", "Frames without inference."),
            ("redacted", "swiftodt_redacted_boxes_total", "Redacted boxes, summed over frames."),
            ("coalesced-messages", "swiftodt_coalesced_messages_total", "Results that were replaced by newer ones."),
            ("gate.passed", "swiftodt_gate_frames_passed_total", "Frames that the gate passed to the decoder."),
            ("gate.dropped", "swiftodt_gate_frames_dropped_total", "Frames that the gate dropped undecoded."),
        ] {
            text.add(
                name, .counter, help,
                cameras.compactMap { camera, counts in counts[field].map { Sample(["camera": camera], $0) } })
        }
        // Cameras take turns for inference only with `--cpus`. Otherwise the metrics of turns are omitted.
        let sharing = cameras.filter { $1["turns.count"] ?? 0 > 0 }
        text.add(
            "swiftodt_inference_turns_total", .counter, "Inferences that ran in turns with other cameras.",
            sharing.map { Sample(["camera": $0], $1["turns.count"] ?? 0) })
        text.add(
            "swiftodt_inference_wait_seconds_total", .counter,
            "Time from frames on which inference was useful until its turn.",
            sharing.map { Sample(["camera": $0], Double($1["turns.wait"] ?? 0) / 1e9) })
        for (group, name, label, help) in [
            ("inferences", "swiftodt_inferences_total", "reason", "Inferences by the reason that triggered them."),
            ("rejected", "swiftodt_rejected_detections_total", "reason", "Rejected detections."),
            ("gate-openings", "swiftodt_gate_openings_total", "reason", "Openings of the gate by reason."),
        ] {
            text.add(
                name, .counter, help,
                cameras.flatMap { camera, counts in
                    counts.filter { $0.key.hasPrefix(group + ".") }.sorted { $0.key < $1.key }.map {
                        Sample(["camera": camera, label: String($0.key.dropFirst(group.count + 1))], $0.value)
                    }
                })
        }
    }

    private func addGates(of cameras: [(String, CameraGate.Figures)], to text: inout MetricsText) {
        text.add(
            "swiftodt_gate_open", .gauge, "Whether the gate before the decoder is open.", cameras
        ) { $0.isOpen ? 1 : 0 }
        text.add(
            "swiftodt_gate_delay_seconds", .gauge,
            "Age of the oldest frame that was released when the gate opened for the last time.",
            cameras.map { Sample(["camera": $0], Double($1.delay) / 1e9) })
    }

    private func addObjects(of cameras: [(String, CameraMetrics)], to text: inout MetricsText) {
        typealias Counts = [CameraMetrics.Key: Int]
        func add(_ name: String, _ kind: MetricsText.Kind, _ help: String, _ counts: (CameraMetrics) -> Counts) {
            text.add(
                name, kind, help,
                cameras.flatMap { camera, metrics in
                    counts(metrics).sorted { ($0.key.zone ?? "", $0.key.label) < ($1.key.zone ?? "", $1.key.label) }
                        .map { Sample($0.key.labels(of: camera), $0.value) }
                })
        }
        add("swiftodt_objects", .gauge, "Objects in the latest result, by label.", \.objects)
        add("swiftodt_tracks_ended_total", .counter, "Ended tracks, by label.", \.tracks)
        add("swiftodt_zone_objects", .gauge, "Objects in the zone in the latest result, by label.", \.occupancy)
        add("swiftodt_zone_entries_total", .counter, "Objects that entered the zone.", \.entered)
        add("swiftodt_zone_exits_total", .counter, "Objects that left the zone.", \.left)
        add("swiftodt_line_crossings_total", .counter, "Crossings of the line.", \.crossings)
    }

    private func addStorage(of cameras: [(String, CameraMetrics)], to text: inout MetricsText) {
        if recordFolder != nil {
            text.add(
                "swiftodt_recorded_segments_total", .counter, "Finished segments of recorded video.", cameras,
                \.segmentCount)
            text.add(
                "swiftodt_recorded_bytes_total", .counter, "Size of finished segments in bytes.", cameras,
                \.recordedBytes)
        }
        if let storeFile {
            text.add(
                "swiftodt_store_bytes", .gauge, "Size of the database in bytes, with its write-ahead log.",
                (FileBytes.size(storeFile) ?? 0) + (FileBytes.size(storeFile + "-wal") ?? 0))
        }
        let disks = [("record", recordFolder), ("store", storeFile.map { PartFile.parts(of: $0).folder })]
        let spaces = disks.compactMap { use, folder in folder.flatMap(Self.space(of:)).map { (use, $0) } }
        text.add(
            "swiftodt_filesystem_free_bytes", .gauge, "Free space of the file system of the recordings or the store.",
            spaces.map { Sample(["use": $0], $1.free) })
        text.add(
            "swiftodt_filesystem_size_bytes", .gauge, "Size of the file system of the recordings or the store.",
            spaces.map { Sample(["use": $0], $1.size) })
    }

    private static func space(of folder: String) -> (free: UInt64, size: UInt64)? {
        var figures = statvfs()
        guard PathText.withSystemPath(folder.isEmpty ? "." : folder, { statvfs($0, &figures) }) == 0 else { return nil }
        let block = UInt64(figures.f_frsize)
        return (UInt64(figures.f_bavail) &* block, UInt64(figures.f_blocks) &* block)
    }
}
