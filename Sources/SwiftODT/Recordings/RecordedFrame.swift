/// The detections of one frame in a recording. In the file, a frame is one line:
///
///     {"time":33333333,"seen":"whole","detections":[[12.5,3,40,80,0.87,0,"person"],[90,7.25,20,20,0.31]]}
///
/// `time` is the stream time in nanoseconds. `seen` is the inferred region in buffer pixels, or `"whole"` for the full
/// frame. A detection is an array: left, top, width and height of the box in buffer pixels, then the score. If the
/// detection has a label, the index and the name of the label follow. Numbers have the shortest representation that
/// parses to the same value.
package struct RecordedFrame: Sendable {
    package let key: FrameKey
    package let seen: Box?
    package let detections: [Detection]

    package init(key: FrameKey, seen: Box? = nil, detections: [Detection]) {
        (self.key, self.seen, self.detections) = (key, seen, detections)
    }

    /// The line of this frame with its terminator. Detections and labels that the parser refuses are omitted.
    var text: String {
        func figures(_ box: Box) -> [JSONValue] { [box.x, box.y, box.width, box.height].map(JSONValue.number) }
        let entries = detections.filter { $0.box.isUsable && $0.score.isFinite }.map { detection -> JSONValue in
            let named = detection.label.flatMap { Labels.isName($0.text) && !$0.text.isEmpty ? $0 : nil }
            let label = named.map { [JSONValue.number(Double($0.index)), .string($0.text)] } ?? []
            return .array(figures(detection.box) + [.number(detection.score)] + label)
        }
        let region = seen.map { JSONValue.array(figures($0)) } ?? .string("whole")
        return "{\"\(key.isTime ? "time" : "frame")\":\(key.order),\"seen\":\(region.text),"
            + "\"detections\":\(JSONValue.array(entries).text)}\n"
    }

    /// Parses the line of a frame. Throws ``RecordingLineError``.
    init(_ value: JSONValue) throws {
        switch (value["time"], value["frame"]) {
        case (let time?, nil):
            guard let key = time.integer.flatMap(FrameKey.time(checking:)) else {
                throw RecordingLineError(#""time" is not a valid number of nanoseconds"#)
            }
            self.key = key
        case (nil, let frame?):
            guard let key = frame.integer.flatMap(FrameKey.number(checking:)) else {
                throw RecordingLineError(#""frame" is not an integer of at least 1"#)
            }
            self.key = key
        default: throw RecordingLineError(#"a frame needs either "time" or "frame""#)
        }
        switch value["seen"] {
        case nil, .null, .string("whole"): seen = nil
        case let region?:
            guard let figures = Self.figures((region.array ?? [])[...]), let box = try? Self.box(figures) else {
                throw RecordingLineError(#""seen" is neither "whole" nor [left, top, width, height]"#)
            }
            seen = box
        }
        guard let entries = value["detections"]?.array else {
            throw RecordingLineError(#""detections" is missing or not a list"#)
        }
        detections = try entries.map { try Self.detection($0.array ?? []) }
    }

    private static func detection(_ figures: [JSONValue]) throws -> Detection {
        guard figures.count == 5 || figures.count == 7, let place = Self.figures(figures.prefix(4)) else {
            throw RecordingLineError(
                "a detection must be [left, top, width, height, score], optionally with a label's index and name")
        }
        let box = try box(place)
        guard let score = figures[4].number, (0...1).contains(score) else {
            throw RecordingLineError("a detection's score is not a number from 0 to 1")
        }
        guard figures.count == 7 else { return Detection(box: box, score: score) }
        guard let index = figures[5].integer.flatMap(Int32.init(exactly:)), let text = figures[6].string,
            !text.isEmpty, Labels.isName(text)
        else {
            throw RecordingLineError("a label must be an integer and a name of at most \(Labels.longestName) bytes")
        }
        return Detection(box: box, score: score, label: Label(index: Int(index), text: text))
    }

    private static func figures(_ values: ArraySlice<JSONValue>) -> ArraySlice<Double>? {
        let numbers = values.compactMap(\.number)
        return numbers.count == 4 && values.count == 4 ? numbers[...] : nil
    }

    /// Returns the box with this left, top, width and height. Throws ``RecordingLineError``.
    static func box(_ figures: ArraySlice<Double>) throws -> Box {
        let first = figures.startIndex
        let box = Box(x: figures[first], y: figures[first + 1], width: figures[first + 2], height: figures[first + 3])
        guard box.isUsable else {
            throw RecordingLineError("a box needs finite numbers, and a width and height above 0")
        }
        return box
    }
}

extension Box {
    fileprivate var isUsable: Bool { isFinite && !isEmpty }
}

/// An error in a line of a recording. ``RecordingReader`` adds the line number.
struct RecordingLineError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The identity of a frame in a video: its stream time, or its number if frames have no timestamps.
package enum FrameKey: Hashable, Sendable {
    /// The stream time in nanoseconds. It is the position of the frame in the video, regardless of seeks.
    case time(Nanoseconds)
    /// The number of the frame, from 1.
    case number(Int)

    var order: Int64 {
        switch self {
        case .time(let time): time
        case .number(let number): Int64(number)
        }
    }

    package var isTime: Bool { if case .time = self { true } else { false } }

    /// Returns whether this frame is later than another one by more than `tolerance`. The unit of the tolerance is
    /// nanoseconds for times, and frames for numbers. Both keys must be of the same kind.
    package func isLater(than other: FrameKey, by tolerance: Int64 = 0) -> Bool {
        order.since(other.order) > tolerance
    }

    /// The largest valid frame number. With this limit, differences of frame numbers never overflow.
    static let largestNumber = 1_000_000_000

    static func time(checking time: Int) -> FrameKey? {
        (0...Int(Nanoseconds.farthest)).contains(time) ? .time(Nanoseconds(time)) : nil
    }

    static func number(checking number: Int) -> FrameKey? {
        (1...largestNumber).contains(number) ? .number(number) : nil
    }
}

extension FrameKey: CustomStringConvertible {
    /// The key as text for messages, such as `0:01:02.033` or `frame 17`.
    package var description: String {
        switch self {
        case .number(let number): return "frame \(number)"
        case .time(let time):
            let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
            func digits(_ number: Int64, _ count: Int) -> String {
                let text = String(number)
                return String(repeating: "0", count: max(0, count - text.count)) + text
            }
            return "\(seconds / 3600):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))"
                + ".\(digits(rest / 1_000_000, 3))"
        }
    }
}
