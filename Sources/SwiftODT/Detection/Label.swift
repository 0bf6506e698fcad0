/// A class in the vocabulary of a detector or classifier.
public struct Label: Hashable, Sendable {
    /// The class index.
    public let index: Int
    /// The class name, for example `person`.
    public let text: String

    public init(index: Int, text: String) {
        self.index = index
        self.text = text
    }
}
