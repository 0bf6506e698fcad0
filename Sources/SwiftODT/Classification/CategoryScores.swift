/// A score for each coarse category, including `unknown`.
public struct CategoryScores: Hashable, Sendable {
    private var storage = SIMD8<Double>.zero

    public init() {}

    public subscript(category: Category) -> Double {
        get { storage[category.rawValue + 1] }
        set { storage[category.rawValue + 1] = newValue }
    }

    /// The sum over all categories. The remainder to 1 is not attributed to any category.
    public var total: Double { storage.sum() }

    /// The category with the highest score; `unknown` if no score is above zero.
    public var best: Category {
        Category.allCases.reduce(.unknown) { self[$1] > self[$0] ? $1 : $0 }
    }

    /// Whether all scores are finite and non-negative.
    var isValid: Bool { total.isFinite && storage.min() >= 0 }

    /// Returns the sum of both scores for each category.
    public static func + (a: CategoryScores, b: CategoryScores) -> CategoryScores {
        var sum = a
        sum.storage += b.storage
        return sum
    }

    /// Returns the scores, multiplied by a factor.
    public static func * (scores: CategoryScores, factor: Double) -> CategoryScores {
        var product = scores
        product.storage *= factor
        return product
    }
}
