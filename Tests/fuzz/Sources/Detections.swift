import SwiftODT

/// Parses a file of detections in MOTChallenge's format.
func fuzzMOT(_ bytes: FuzzedBytes) -> CInt {
    withMemoryFile(bytes.all) { path in
        let detections = try? MOTChallengeDetections(path: path)
        for frame in detections?.frames ?? [] { _ = detections?.detections(in: frame) }
    }
    for word in bytes.rest.split(separator: 0x20) { _ = DecimalText.number(word) }
    return 0
}
