import ODTPlayback

/// The user's options about the cost of decoding and inference: `gate`, `economy` and `cpus`.
struct DecodingChoice: Equatable, Sendable {
    enum Gate: String, CaseIterable, Sendable { case auto, off }

    static let names: Set<String> = ["gate", "cpus"]
    static let flags: Set<String> = ["economy"]
    static let help = """
          --economy          for many cameras: inference-interval=0 and the gate. Calm cameras need a fraction of the
                             processor time; results are late by up to one key-frame distance of the camera
          --gate auto|off    auto: with inference-interval=0, decode only key frames of calm H.264 and H.265 cameras
                             (default). [camera NAME] can set gate and economy for one camera
          --cpus N           at most N processors (1 to 1,024) for the detectors of all cameras with the same model. They
                             take turns: the most useful inference first, and no camera waits forever (default: each
                             camera uses all processors)
        """

    /// The option `gate`, about the gate that drops encoded frames before the decoder; `nil` if it is not set.
    var gate: Gate?
    /// The option `economy`, short for `inference-interval=0` with the gate; `nil` if it is not set.
    var isEconomical: Bool?
    /// The number of processors for the detectors of all cameras with the same model; `nil` for no limit.
    var processors: Int?

    init() {}

    init(_ line: CommandLineOptions) throws {
        gate = try line.text("--gate").map { try Self.gate($0, called: "--gate") }
        isEconomical = line.has("--economy") ? true : nil
        processors = try line.text("--cpus").map { try Self.processors($0, called: "--cpus") }
    }

    /// Takes an entry of the group [watch] of a configuration file, which applies to all cameras.
    mutating func takeCommon(_ entry: KeyFile.Entry) throws {
        if entry.key == "cpus" {
            processors = try Self.processors(entry.value, called: "\(entry.place): cpus")
        } else {
            _ = try take(entry)
        }
    }

    /// Takes an entry of the configuration of one camera. Returns whether the entry is an option about decoding.
    mutating func take(_ entry: KeyFile.Entry) throws -> Bool {
        switch entry.key {
        case "gate": gate = try Self.gate(entry.value, called: "\(entry.place): gate")
        case "economy": isEconomical = try WatchConfiguration.flag(entry)
        default: return false
        }
        return true
    }

    /// Returns a copy in which options that are not set have the values of `other`.
    func or(_ other: DecodingChoice) -> DecodingChoice {
        var choice = self
        choice.gate = gate ?? other.gate
        choice.isEconomical = isEconomical ?? other.isEconomical
        choice.processors = processors ?? other.processors
        return choice
    }

    private static func processors(_ text: String, called name: String) throws -> Int {
        guard let number = Int(text), (1...1024).contains(number) else {
            throw PlaybackError("\(name) must be a whole number from 1 to 1,024, not '\(text)'", isUsage: true)
        }
        return number
    }

    private static func gate(_ text: String, called name: String) throws -> Gate {
        guard let gate = Gate(rawValue: text) else {
            throw PlaybackError("\(name): use auto or off, not '\(text)'", isUsage: true)
        }
        return gate
    }
}

extension CameraPlan {
    /// Adds the element's properties that the options imply. The user's properties come after them and override them.
    mutating func applyDecoding() {
        if let processors = decoding.processors {
            settings.insert(
                contentsOf: [CameraSetting("threads=\(processors)"), CameraSetting("share-inference=true")], at: 0)
        }
        if decoding.isEconomical == true { settings.insert(CameraSetting("inference-interval=0"), at: 0) }
    }

    /// Whether to use the gate if it supports the codec of the camera.
    var usesGate: Bool { decoding.gate != .off && isAdaptive }

    /// Whether the properties select adaptive inference (`inference-interval=0`). With other intervals, the gate would
    /// stay open while objects are visible.
    private var isAdaptive: Bool {
        value(of: "inference-interval").flatMap { Int($0) } == 0
    }

    /// - Throws: ``PlaybackError`` if the options contradict each other or the properties.
    func checkDecoding(_ options: WatchOptions, warn: (String) -> Void) throws {
        if decoding.isEconomical == true {
            guard decoding.gate != .off else {
                throw PlaybackError(
                    "\(name): economy includes the gate, and gate=off excludes it: for adaptive inference alone, set "
                        + "inference-interval=0 instead of economy", isUsage: true)
            }
            guard isAdaptive else {
                throw PlaybackError(
                    "\(name): economy includes inference-interval=0, and another inference-interval is set: leave one of "
                        + "them out", isUsage: true)
            }
        }
        if decoding.gate == .auto, !isAdaptive {
            warn("\(name): gate=auto has no effect without inference-interval=0: use economy, which sets both")
        }
        if usesGate, isRecorded, options.text("record") != nil, options.has("record-annotated") {
            warn(
                "\(name): all frames are decoded and the gate is not used, because --record-annotated records all frames"
            )
        }
    }
}
