/// The coarse category of an object as far as it is known.
public struct CategoryVerdict: Hashable, Sendable {
    public var category: Category
    /// How sure that is, 0...1; `nil` where the category is unknown.
    public var confidence: Double?

    public init(category: Category, confidence: Double?) {
        self.category = category
        self.confidence = confidence
    }

    /// Nothing is known.
    public static let unknown = CategoryVerdict(category: .unknown, confidence: nil)
}
