/// Why something cannot be played. The text says what to do about it.
public struct PlaybackError: Error, CustomStringConvertible, Sendable {
    public let description: String
    /// Whether what was asked for cannot be meant: a property that there is not, a value that it cannot have.
    public let isUsage: Bool

    public init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}
