/// The identity of a frame in a video: its stream time, or its number if frames have no timestamps.
package enum FrameKey: Hashable, Sendable {
    /// The stream time in nanoseconds. It is the position in the video and does not depend on seeks.
    case time(Nanoseconds)
    /// The number of the frame, from 1.
    case number(Int)

    /// The value by which frames are sorted in a recording.
    var order: Int64 {
        switch self {
        case .time(let time): time
        case .number(let number): Int64(number)
        }
    }

    package var isTime: Bool { if case .time = self { true } else { false } }

    /// Returns whether this frame is later than another frame of the same kind by more than `tolerance` nanoseconds or
    /// frames.
    package func isLater(than other: FrameKey, by tolerance: Int64 = 0) -> Bool {
        order.since(other.order) > tolerance
    }

    /// The upper limit of valid frame numbers. It ensures that differences of keys never overflow.
    static let largestNumber = 1_000_000_000

    /// Returns the key for a time in nanoseconds. `nil` if the time is out of range.
    static func time(checking time: Int) -> FrameKey? {
        (0...Int(Nanoseconds.farthest)).contains(time) ? .time(Nanoseconds(time)) : nil
    }

    /// Returns the key for a frame number. `nil` if the number is out of range.
    static func number(checking number: Int) -> FrameKey? {
        (1...largestNumber).contains(number) ? .number(number) : nil
    }
}

extension FrameKey: CustomStringConvertible {
    /// A readable form, such as `0:01:02.033` or `frame 17`.
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
