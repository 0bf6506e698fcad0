import SwiftODT

/// A message of the `swiftodt` element, parsed from JSON. The accessors for times return seconds.
struct ParsedMessage {
    enum Kind: String {
        case result = "swiftodt"
        case track = "swiftodt-track"
        case zone = "swiftodt-zone"
        /// The statistics of the element, at the end of a recording.
        case statistics = "stats"
    }

    let kind: Kind
    /// The session id of the message; `nil` if it is unknown. Tracking ids are unique only within a session.
    let recording: Int64?
    private let fields: JSONValue

    init(_ kind: Kind, _ fields: [String: JSONValue], recording: Int64) {
        (self.kind, self.fields, self.recording) = (kind, .object(fields), recording)
    }

    /// Parses a line. Returns `nil` for messages of other kinds.
    init?(_ line: ArraySlice<UInt8>) throws {
        let outer = try JSONValue(parsing: line)
        guard case .object = outer, let name = outer["message"]?.string else {
            throw ReportError("not a swiftodt message: the field \"message\" is missing")
        }
        guard let kind = Kind(rawValue: name) else { return nil }
        self.kind = kind
        recording = outer["session"]?.integer.map(Int64.init)
        // With `message-format=json` the element's structure has the whole message as JSON text in its field `json`.
        // Only this text contains the objects.
        if kind == .result, outer["objects"] == nil, let text = outer["json"]?.string {
            fields = try JSONValue(parsing: text.utf8)
        } else {
            fields = outer
        }
        if kind == .result, fields["objects"]?.array == nil {
            throw ReportError("the swiftodt message has no list \"objects\"")
        }
    }

    func text(_ name: String) -> String { fields[name]?.string ?? "" }
    func number(_ name: String) -> Double? { fields[name]?.number }

    func seconds(_ name: String) -> Double? { fields.seconds(name) }

    /// The time of the message in seconds: the running time or, if it is unknown, the stream time or the timestamp.
    var time: Double? { seconds("running-time") ?? seconds("stream-time") ?? seconds("timestamp") }

    func list(_ name: String) throws -> [JSONValue] {
        let list = fields[name]?.array ?? []
        for entry in list {
            guard case .object = entry else { throw ReportError("an entry of \"\(name)\" is not a JSON object") }
        }
        return list
    }

    /// The transformation that turns the message's frame upright.
    var orientation: Orientation { Orientation(nick: text("orientation")) ?? .identity }

    /// The transformation that turns the frames of the video upright; `nil` if the orientation tag of the video specifies
    /// it. It differs from ``orientation`` in messages of `odt annotate` and `odt watch`, which rotate frames before
    /// inference.
    var orientationOfVideo: Orientation? {
        Orientation(nick: text("applied-orientation")) ?? (orientation == .identity ? nil : orientation)
    }
}

extension JSONValue {
    /// Returns a time field, which is in nanoseconds, as seconds. Returns `nil` if the time is unknown: `null` in JSON,
    /// 2^64 - 1 in structures.
    func seconds(_ name: String) -> Double? {
        self[name]?.number.flatMap { $0 >= 0 && $0 < 0x1p63 ? $0 / 1e9 : nil }
    }
}
