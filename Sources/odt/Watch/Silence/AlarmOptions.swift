import ODTPlayback
import SwiftODT

/// The options of alarms about cameras that deliver frames without useful content.
struct AlarmOptions: Sendable {
    static let names: Set<String> = ["picture-alarm", "quiet-alarm"]
    static let help = """
          --picture-alarm SECONDS|off
                             report a picture that is black or covered, frozen, or of another scene because the camera was
                             turned, after 1 to 3,600 s (default: 10)
          --quiet-alarm N    report a camera that has seen no object for N times as long as usual at that hour, 1.5 to 100
                             (default: off). The usual times are learned for three days and then continuously
        """

    /// The time in nanoseconds after which a covered, frozen or moved picture is reported; `nil` to report none.
    let picturePatience: Nanoseconds?
    /// A time without objects is reported if it exceeds the usual time by this factor; `nil` to report none.
    let quietFactor: Double?

    init(_ options: WatchOptions) throws {
        picturePatience =
            options.text("picture-alarm") == "off"
            ? nil : Nanoseconds(seconds: try options.number("picture-alarm", in: 1...3600) ?? 10)
        quietFactor = try options.number("quiet-alarm", in: 1.5...100)
    }
}

/// The problems of a camera that have been reported and not ended yet.
struct CameraProblems {
    private(set) var names: Set<String> = []

    /// Updates the problems from a message and returns whether they may have changed. A new connection has no problems.
    mutating func take(_ fields: MessageFields) -> Bool {
        switch fields.name {
        case "swiftodt-camera": names = []
        case CameraAlarm.message:
            if fields.text("event") == CameraAlarm.restored {
                names.remove(fields.text("reason") ?? "")
            } else {
                names.insert(fields.text("event") ?? "")
            }
        default: return false
        }
        return true
    }
}

/// The start or end of a problem of a camera that delivers frames.
enum CameraAlarm: Equatable, Sendable {
    enum Problem: String, CaseIterable, Sendable { case covered, frozen, moved, quiet }

    case began(Problem)
    case ended(Problem)

    static let message = "swiftodt-alarm"
    static let restored = "restored"

    /// - Parameters:
    ///   - running: The running time of the frame in nanoseconds; `nil` if it is unknown.
    ///   - time: The wall-clock time in nanoseconds since 1970.
    func message(of camera: String, running: UInt64?, at time: Nanoseconds) -> OwnedStructure {
        let fields = OwnedStructure(named: Self.message)
        fields.set("version", to: UInt32(1))
        fields.set("source", to: camera)
        switch self {
        case .began(let problem): fields.set("event", to: problem.rawValue)
        case .ended(let problem):
            fields.set("event", to: Self.restored)
            fields.set("reason", to: problem.rawValue)
        }
        fields.set("running-time", to: running ?? .max)
        fields.set("utc-time", to: UInt64(max(0, time)))
        return fields
    }
}
