import SwiftODT

/// One message of swiftodt, as a line of JSON tells it. Times are in seconds.
struct ParsedMessage {
    enum Kind: String {
        case result = "swiftodt"
        case track = "swiftodt-track"
        case zone = "swiftodt-zone"
    }

    let kind: Kind
    /// Which recording of its source it is of, where that is known: each has ids of its own.
    let recording: Int64?
    private let fields: JSONValue

    init(_ kind: Kind, _ fields: [String: JSONValue], recording: Int64) {
        (self.kind, self.fields, self.recording) = (kind, .object(fields), recording)
    }

    /// Reads a line; `nil` where it tells of something else, as the line of counters at the end does.
    ///
    /// - Throws: ``ReportError`` without the line's place.
    init?(_ line: ArraySlice<UInt8>) throws {
        let outer = try JSONValue(parsing: line)
        guard case .object = outer, let name = outer["message"]?.string else {
            throw ReportError("is no message of swiftodt: it has no field \"message\"")
        }
        guard let kind = Kind(rawValue: name) else { return nil }
        self.kind = kind
        recording = outer["session"]?.integer.map(Int64.init)
        // With message-format=json the structure carries itself as text, and a result only there has its objects.
        if kind == .result, outer["objects"] == nil, let text = outer["json"]?.string {
            fields = try JSONValue(parsing: text.utf8)
        } else {
            fields = outer
        }
        if kind == .result, fields["objects"]?.array == nil {
            throw ReportError("is a message swiftodt without the list \"objects\"")
        }
    }

    func text(_ name: String) -> String { fields[name]?.string ?? "" }
    func number(_ name: String) -> Double? { fields[name]?.number }

    /// A time or a duration in seconds; `nil` where it is not known.
    func seconds(_ name: String) -> Double? { fields.seconds(name) }

    /// Where in the video's time this is: its running time, or what comes nearest to that.
    var time: Double? { seconds("running-time") ?? seconds("stream-time") ?? seconds("timestamp") }

    /// - Throws: ``ReportError`` where one of them is none.
    var objects: [JSONValue] {
        get throws { try structures("objects", "objects") }
    }

    /// - Throws: ``ReportError`` where one of them is none.
    var zones: [JSONValue] {
        get throws { try structures("zones", "zones") }
    }

    private func structures(_ name: String, _ words: String) throws -> [JSONValue] {
        let list = fields[name]?.array ?? []
        for entry in list {
            guard case .object = entry else { throw ReportError("has \(words) that are none") }
        }
        return list
    }

    /// What has to be done to the picture to see it upright.
    var orientation: Orientation { Self.orientations[text("orientation")] ?? .identity }

    /// As the element's property calls them.
    private static let orientations: [String: Orientation] = [
        "90r": .rotate90, "180": .rotate180, "90l": .rotate270, "horiz": .flipHorizontal, "vert": .flipVertical,
        "ul-lr": .transpose, "ur-ll": .transverse,
    ]
}

extension JSONValue {
    /// A field that is a time, in seconds; `nil` where it is not known, which is `null`, or 2^64 - 1 in structures.
    func seconds(_ name: String) -> Double? {
        self[name]?.number.flatMap { $0 >= 0 && $0 < 0x1p63 ? $0 / 1e9 : nil }
    }
}
