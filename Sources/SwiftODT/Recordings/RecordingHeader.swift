/// The first line of a recording. It describes the video, the detector, and the detector's settings:
///
///     {"swiftodt-detections":1,"width":768,"height":432,"orientation":"identity","frame-rate":"10/1",
///      "score-floor":0.1,"iou-threshold":0.5,"detector":"neural","model":"efficientdet_lite0_int8.xml",...}
package struct RecordingHeader: Hashable, Sendable {
    /// The size of the buffers before any change of orientation, in pixels.
    package var width: Int
    package var height: Int
    /// The orientation as a GStreamer tag value.
    package var orientation: String
    /// The frame rate in frames per second. 0/1 for a variable rate.
    package var frameRate: Rational
    /// The minimum score that was requested from the detector, 0 to 1.
    package var scoreFloor: Double
    package var iouThreshold: Double
    /// All other values that determine the detections, for example the detector, the network and the runtime. A header
    /// that was parsed from a file has only the fields in ``retainedFields``.
    package var detectorFields: [Field]

    package init(
        width: Int, height: Int, orientation: String, frameRate: Rational, scoreFloor: Double, iouThreshold: Double,
        detectorFields: [Field]
    ) {
        (self.width, self.height, self.orientation, self.frameRate) = (width, height, orientation, frameRate)
        (self.scoreFloor, self.iouThreshold, self.detectorFields) = (scoreFloor, iouThreshold, detectorFields)
    }

    package struct Rational: Hashable, Sendable {
        package let numerator: Int
        package let denominator: Int

        package init(_ numerator: Int, _ denominator: Int) {
            (self.numerator, self.denominator) = (numerator, denominator)
        }
    }

    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: JSONValue

        static let labels = "labels"
        static let labelGroups = "label-groups"
        static let firstFrame = "first-frame"

        package init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }

        /// Creates the field for the ``LumaPlane/checksum`` of the first inferred frame, which identifies the video.
        package init(firstFrame sum: String) { self.init(Self.firstFrame, .string(sum)) }

        /// Creates the field for the possible labels of detections. Returns `nil` if there are none or they are unknown.
        package init?(labels: [String]?) {
            guard let labels, !labels.isEmpty else { return nil }
            self.init(Self.labels, .array(labels.map(JSONValue.string)))
        }

        /// Creates the field for the label groups of a network's manifest. Returns `nil` if there are no groups.
        package init?(labelGroups: [String: Set<String>]) {
            guard !labelGroups.isEmpty else { return nil }
            self.init(
                Self.labelGroups, .object(labelGroups.mapValues { .array($0.sorted().map(JSONValue.string)) }))
        }
    }

    private static let retainedFields = [
        "detector", "inference-interval", "model", "model-sum", "score-threshold", Field.labels, Field.labelGroups,
    ]
    static let version = 1
    static let mark = "swiftodt-detections"

    /// The header as a line with its terminator. Equal settings give equal bytes.
    var text: String {
        let fields = [
            Field(Self.mark, .number(Double(Self.version))), Field("width", .number(Double(width))),
            Field("height", .number(Double(height))), Field("orientation", .string(orientation)),
            Field("frame-rate", .string("\(frameRate.numerator)/\(frameRate.denominator)")),
            Field("score-floor", .number(scoreFloor)), Field("iou-threshold", .number(iouThreshold)),
        ]
        return "{"
            + (fields + detectorFields).map { "\(JSONValue.quoted($0.name)):\($0.value.text)" }.joined(separator: ",")
            + "}\n"
    }

    /// Parses a header. Throws ``RecordingLineError`` if the value is not a header.
    init(_ value: JSONValue) throws {
        guard let version = value[Self.mark]?.integer else {
            throw RecordingLineError(
                value["message"] == nil
                    ? "the first line has no \"\(Self.mark)\" entry"
                    : "it contains the element's messages rather than detections; record detections with "
                        + "record-detections")
        }
        guard version == Self.version else {
            throw RecordingLineError("it has format version \(version); this program reads version \(Self.version)")
        }
        guard let width = value["width"]?.integer, let height = value["height"]?.integer, width > 0, height > 0 else {
            throw RecordingLineError("the first line has no valid \"width\" and \"height\" of the video")
        }
        (self.width, self.height) = (width, height)
        orientation = value["orientation"]?.string ?? "identity"
        frameRate = value["frame-rate"]?.string.flatMap(Rational.init(text:)) ?? Rational(0, 1)
        scoreFloor = value["score-floor"]?.number ?? 0
        iouThreshold = value["iou-threshold"]?.number ?? 0.5
        detectorFields = Self.retainedFields.compactMap { name in value[name].map { Field(name, $0) } }
    }

    private func value(_ name: String) -> JSONValue? { detectorFields.first { $0.name == name }?.value }

    /// The possible labels of the recorded detections. `nil` in recordings of earlier versions and of detectors without
    /// a list of labels.
    package var labels: [String]? { value(Field.labels)?.array?.compactMap(\.string) }

    /// The properties of the network that has made the recorded detections.
    package var traits: DetectorTraits {
        var traits = DetectorTraits()
        if case .object(let groups)? = value(Field.labelGroups) {
            for (name, labels) in groups {
                let labels = (labels.array ?? []).compactMap { $0.string?.lowercased() }
                traits.labelGroups[name.lowercased(), default: []].formUnion(labels)
            }
        }
        traits.scoreThreshold = value("score-threshold")?.number.flatMap { (0...1).contains($0) ? $0 : nil }
        if let name = value("model")?.string, let sum = value("model-sum")?.string {
            traits.model = DetectorTraits.Model(name: name, sum: sum)
        }
        return traits
    }

    /// Returns the names of the fields that differ, without that of the first frame. Recordings of earlier versions have
    /// no labels.
    static func differences(_ one: JSONValue, _ other: JSONValue) -> Set<String> {
        guard case .object(let ours) = one, case .object(let theirs) = other else { return ["all"] }
        var names = Set(ours.keys).union(theirs.keys).subtracting([Field.firstFrame])
        if ours[Field.labels] == nil || theirs[Field.labels] == nil { names.remove(Field.labels) }
        return names.filter { ours[$0] != theirs[$0] }
    }
}

extension RecordingHeader.Rational {
    init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let numerator = parts[0], let denominator = parts[1], numerator >= 0, denominator > 0
        else { return nil }
        self.init(numerator, denominator)
    }
}

/// The last line of a complete recording: `{"end":true,"frames":300,"time":9966666666}`.
package struct RecordingEnd: Hashable, Sendable {
    /// The number of frames of the video, including frames without inference.
    package let frames: Int
    /// The last frame of the video. `nil` if it is unknown.
    package let last: FrameKey?

    package init(frames: Int, last: FrameKey?) { (self.frames, self.last) = (frames, last) }

    var text: String {
        let last =
            switch last {
            case .time(let time): ",\"time\":\(time)"
            case .number(let number): ",\"frame\":\(number)"
            case nil: ""
            }
        return "{\"end\":true,\"frames\":\(frames)\(last)}\n"
    }

    /// Parses a line. Returns `nil` if the line does not mark the end of a recording.
    init?(_ value: JSONValue) {
        guard value["end"]?.bool == true, let frames = value["frames"]?.integer, frames >= 0 else { return nil }
        self.frames = frames
        last =
            value["time"]?.integer.flatMap(FrameKey.time(checking:))
            ?? value["frame"]?.integer.flatMap(FrameKey.number(checking:))
    }
}
