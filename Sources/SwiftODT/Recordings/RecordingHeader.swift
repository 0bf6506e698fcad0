/// The first line of a recording: what was looked at, by whom, and how.
///
///     {"swiftodt-detections":1,"width":768,"height":432,"orientation":"identity","frame-rate":"10/1",
///      "score-floor":0.1,"iou-threshold":0.5,"detector":"neural","model":"efficientdet_lite0_int8.xml",...}
public struct RecordingHeader: Hashable, Sendable {
    /// Of the buffers, as they were stored.
    public var width: Int
    public var height: Int
    /// What had to be done to see them upright, in GStreamer's words.
    public var orientation: String
    /// Frames a second; 0/1 where that varies.
    public var frameRate: Rational
    /// Nothing weaker was asked of the detector.
    public var scoreFloor: Double
    public var iouThreshold: Double
    /// All else that what was found hangs on: detector, network, runtime. Of a recording that is read, by whom and how often.
    public var origin: [Field]

    public init(
        width: Int, height: Int, orientation: String, frameRate: Rational, scoreFloor: Double, iouThreshold: Double,
        origin: [Field]
    ) {
        (self.width, self.height, self.orientation, self.frameRate) = (width, height, orientation, frameRate)
        (self.scoreFloor, self.iouThreshold, self.origin) = (scoreFloor, iouThreshold, origin)
    }

    public struct Rational: Hashable, Sendable {
        public let numerator: Int
        public let denominator: Int

        public init(_ numerator: Int, _ denominator: Int) {
            (self.numerator, self.denominator) = (numerator, denominator)
        }
    }

    /// One thing about the detector, by its name in the file.
    public struct Field: Hashable, Sendable {
        public let name: String
        public let value: JSONValue

        public init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    static let version = 1
    static let mark = "swiftodt-detections"
}

extension RecordingHeader {
    /// The line with its end. The same settings give the same bytes.
    var text: String {
        let facts = [
            Field(Self.mark, .number(Double(Self.version))), Field("width", .number(Double(width))),
            Field("height", .number(Double(height))), Field("orientation", .string(orientation)),
            Field("frame-rate", .string("\(frameRate.numerator)/\(frameRate.denominator)")),
            Field("score-floor", .number(scoreFloor)), Field("iou-threshold", .number(iouThreshold)),
        ]
        return "{" + (facts + origin).map { "\(JSONValue.quoted($0.name)):\($0.value.text)" }.joined(separator: ",")
            + "}\n"
    }

    /// - Throws: ``RecordingLineError`` where it is none.
    init(_ value: JSONValue) throws {
        guard let version = value[Self.mark]?.integer else {
            throw RecordingLineError(
                value["message"] == nil
                    ? "the first line does not say \"\(Self.mark)\""
                    : "these are the element's messages, which tell of objects; detections are recorded with "
                        + "record-detections")
        }
        guard version == Self.version else {
            throw RecordingLineError("it is of version \(version); this program reads version \(Self.version)")
        }
        guard let width = value["width"]?.integer, let height = value["height"]?.integer, width > 0, height > 0 else {
            throw RecordingLineError("the first line does not tell the \"width\" and \"height\" of the pictures")
        }
        (self.width, self.height) = (width, height)
        orientation = value["orientation"]?.string ?? "identity"
        frameRate = value["frame-rate"]?.string.flatMap(Rational.init(text:)) ?? Rational(0, 1)
        scoreFloor = value["score-floor"]?.number ?? 0
        iouThreshold = value["iou-threshold"]?.number ?? 0.5
        origin = ["detector", "inference-interval"].compactMap { name in value[name].map { Field(name, $0) } }
    }

    /// What a recording says of the others of these, in words, where the two differ: `model, iou-threshold`.
    static func differences(_ one: JSONValue, _ other: JSONValue) -> String {
        guard case .object(let ours) = one, case .object(let theirs) = other else { return "all" }
        return Set(ours.keys).union(theirs.keys).filter { ours[$0] != theirs[$0] }.sorted().joined(separator: ", ")
    }
}

extension RecordingHeader.Rational {
    /// Such as `30000/1001`.
    init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let numerator = parts[0], let denominator = parts[1], numerator >= 0, denominator > 0
        else { return nil }
        self.init(numerator, denominator)
    }
}

/// The last line of a recording that is whole: `{"end":true,"frames":300,"time":9966666666}`.
public struct RecordingEnd: Hashable, Sendable {
    /// How many frames the video had, looked at or not.
    public let frames: Int
    /// The last of them.
    public let last: FrameKey?

    public init(frames: Int, last: FrameKey?) { (self.frames, self.last) = (frames, last) }

    var text: String {
        let last =
            switch last {
            case .time(let time): ",\"time\":\(time)"
            case .number(let number): ",\"frame\":\(number)"
            case nil: ""
            }
        return "{\"end\":true,\"frames\":\(frames)\(last)}\n"
    }

    /// `nil` for other lines.
    init?(_ value: JSONValue) {
        guard value["end"]?.bool == true, let frames = value["frames"]?.integer, frames >= 0 else { return nil }
        self.frames = frames
        last =
            value["time"]?.integer.flatMap(FrameKey.time(checking:))
            ?? value["frame"]?.integer.flatMap(FrameKey.number(checking:))
    }
}
