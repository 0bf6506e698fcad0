/// An error of playing or writing media. The text includes the remedy.
public struct PlaybackError: Error, CustomStringConvertible, Sendable {
    public let description: String
    /// Whether the user's input is invalid, for example an unknown property or a value out of range.
    public let isUsage: Bool

    public init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}
