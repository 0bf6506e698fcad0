/// Which frame of a video something was said of: by its time in the stream, or by its number where frames have no times.
public enum FrameKey: Hashable, Sendable {
    /// Stream time: where in the video it is, whatever was sought before.
    case time(Nanoseconds)
    /// Counted from 1.
    case number(Int)

    /// What frames of a recording are sorted by.
    var order: Int64 {
        switch self {
        case .time(let time): time
        case .number(let number): Int64(number)
        }
    }

    public var isTime: Bool { if case .time = self { true } else { false } }

    /// Whether it comes after another of its kind, by more than so much.
    public func isLater(than other: FrameKey, by tolerance: Int64 = 0) -> Bool {
        order.since(other.order) > tolerance
    }

    /// Times and numbers beyond these are mistakes; differences of two never overflow.
    static let largestNumber = 1_000_000_000

    static func time(checking time: Int) -> FrameKey? {
        (0...Int(Nanoseconds.farthest)).contains(time) ? .time(Nanoseconds(time)) : nil
    }

    static func number(checking number: Int) -> FrameKey? {
        (1...largestNumber).contains(number) ? .number(number) : nil
    }
}

extension FrameKey: CustomStringConvertible {
    /// For people: `0:01:02.033`, or `frame 17`.
    public var description: String {
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
