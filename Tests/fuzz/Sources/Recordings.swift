@testable import SwiftODT

/// Reads a file of recorded detections in and out of order, and resumes writing it.
func fuzzRecording(_ bytes: FuzzedBytes) -> CInt {
    withMemoryFile(bytes.all) { path in
        guard let reader = try? RecordingReader(path, labels: Labels(["person", "", "car"])) else { return }
        let isTime = reader.last?.isTime ?? true
        func key(_ step: Int) -> FrameKey { isTime ? .time(Nanoseconds(step) * 33_333_333) : .number(step + 1) }
        for step in [0, 1, 2, 3, 700, 2, 40_000, 5] {
            guard let frame = try? reader.frame(at: key(step), within: isTime ? 1_000_000 : 0) else { continue }
            guard let value = try? JSONValue(parsing: frame.text.utf8), let again = try? RecordedFrame(value) else {
                if frame.detections.allSatisfy({ (0...1).contains($0.score) }) {
                    fatalError("a written frame cannot be parsed: \(frame)")
                }
                continue
            }
            if again.key != frame.key { fatalError("a written frame has another key: \(frame)") }
        }
        guard let writer = try? RecordingWriter(path, existing: .resume) else { return }
        for step in 0..<4 {
            _ = try? writer.known(key(step))
            _ = try? writer.write(RecordedFrame(key: key(step), detections: []))
        }
    }
    return 0
}
