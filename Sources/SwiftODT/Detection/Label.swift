/// A class of a detector's or classifier's vocabulary.
public struct Label: Hashable, Sendable {
    /// Its place in the vocabulary.
    public let index: Int
    /// Its name, such as `person`.
    public let text: String

    public init(index: Int, text: String) {
        self.index = index
        self.text = text
    }

    public static func == (a: Label, b: Label) -> Bool { a.index == b.index && a.text == b.text }
}
