import CODTGStreamer

struct GateSettings: PropertyValues {
    enum Mode {
        case auto
        case open
    }

    var mode = Mode.auto
    var options = Gate.Options()

    /// The conflict between two properties; `nil` if there is none.
    var conflict: String? {
        options.calmInterval <= options.maxTime
            ? nil : "calm-interval is longer than max-time, so the gate opens before the next key frame passes"
    }

    /// The element's properties, in the order in which gst-inspect lists them.
    static let properties: [ElementProperty<GateSettings>] = [
        .init(
            "mode", \.mode,
            .choice(
                "SwiftOdtGateMode",
                (.auto, "auto", "Key frames only while the picture is calm"),
                (.open, "open", "All frames")),
            .playing, "Mode", "Which frames pass"),
        .init(
            "calm-interval", \.options.calmInterval, .time(), .playing, "Calm interval",
            "Minimum time between two key frames that pass while the picture is calm, in nanoseconds"),
        .init(
            "hold-time", \.options.holdTime, .time(), .playing, "Hold time",
            "Minimum time without activity until the gate closes, in nanoseconds"),
        .init(
            "max-bytes", \.options.maxBytes, .count(0...Int32.max), .playing, "Maximum bytes",
            "Maximum size of the kept frames in bytes; at the limit the gate opens"),
        .init(
            "max-time", \.options.maxTime, .time(), .playing, "Maximum time",
            "Maximum duration of the kept frames in nanoseconds; at the limit the gate opens"),
        .init(structure: "stats", "Statistics", "State, reasons to open, and counters"),
    ]

    static func property(_ id: UInt32) -> ElementProperty<GateSettings> { properties[Int(id) - 1] }
}

enum GateStatistics {
    static func structure(of gate: Gate) -> UnsafeMutablePointer<GstStructure> {
        let counters = gate.counters
        let decided = counters.passed + counters.dropped
        return StructureWriter.structure(
            "swiftodtgate-stats",
            [
                ("state", .text(gate.state.rawValue)), ("reason", .text(gate.reason.rawValue)),
                ("openings", .counts(counters.openings)),
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
