import SwiftODT

/// The values of all properties of the element `swiftodtgate`.
struct GateSettings: PropertyValues {
    enum Mode {
        case auto
        case open
    }

    var mode = Mode.auto
    var options = Gate.Options()

    /// The element's properties, in the order in which gst-inspect lists them.
    static let properties: [ElementProperty<GateSettings>] = [
        .init(
            "mode", \.mode,
            .choice(
                "SwiftOdtGateMode",
                [
                    (.auto, "auto", "Key frames only while the picture is calm"),
                    (.open, "open", "All frames"),
                ]),
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
