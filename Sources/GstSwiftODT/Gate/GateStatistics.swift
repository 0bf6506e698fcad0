import CGStreamer
import SwiftODT

/// Writes the property `stats` of the element `swiftodtgate`.
enum GateStatistics {
    /// Returns a new structure.
    static func structure(of gate: Gate) -> UnsafeMutablePointer<GstStructure> {
        let counters = gate.counters
        let decided = counters.passed + counters.dropped
        return StructureWriter.structure(
            "swiftodtgate-stats",
            [
                ("state", .text(gate.state.rawValue)), ("reason", .text(gate.reason.rawValue)),
                (
                    "openings",
                    .structure(zip(Gate.Reason.allCases, counters.openings).map { ($0.rawValue, .uint64($1)) })
                ),
                ("frames", .uint64(counters.received)), ("passed", .uint64(counters.passed)),
                ("dropped", .uint64(counters.dropped)),
                ("passed-share", .real(decided == 0 ? 1 : Double(counters.passed) / Double(decided))),
                ("kept", .uint64(UInt64(clamping: gate.keptFrames))),
                ("kept-bytes", .uint64(UInt64(clamping: gate.keptBytes))),
                ("delay", .time(UInt64(clamping: counters.delay))),
                ("max-delay", .time(UInt64(clamping: counters.greatestDelay))),
            ])
    }
}
