/// The coarse category of an object according to the current evidence.
public struct CategoryVerdict: Hashable, Sendable {
    public var category: Category
    /// The confidence of the category, 0...1; `nil` if it is unknown.
    public var confidence: Double?

    public init(category: Category, confidence: Double?) {
        self.category = category
        self.confidence = confidence
    }

    /// The verdict without evidence.
    public static let unknown = CategoryVerdict(category: .unknown, confidence: nil)
}
