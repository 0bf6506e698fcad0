/// The coarse categories of ML Kit, with its indices as raw values.
package enum Category: Int, CaseIterable, Sendable {
    case unknown = -1
    case fashionGood = 0
    case homeGood = 1
    case food = 2
    case place = 3
    case plant = 4
}

extension Category {
    /// The name used in messages and labels: `fashion good`, `home good`, `food`, `place`, `plant`, `unknown`.
    package var name: String {
        switch self {
        case .unknown: "unknown"
        case .fashionGood: "fashion good"
        case .homeGood: "home good"
        case .food: "food"
        case .place: "place"
        case .plant: "plant"
        }
    }
}

/// A score for each coarse category, including `unknown`.
package struct CategoryScores: Hashable, Sendable {
    private var storage = SIMD8<Double>.zero

    package init() {}

    package subscript(category: Category) -> Double {
        get { storage[category.rawValue + 1] }
        set { storage[category.rawValue + 1] = newValue }
    }

    /// The sum over all categories. The remainder to 1 is not attributed to any category.
    package var total: Double { storage.sum() }

    /// The category with the highest score; `unknown` if no score is above zero.
    package var best: Category {
        Category.allCases.reduce(.unknown) { self[$1] > self[$0] ? $1 : $0 }
    }

    /// Whether all scores are finite and non-negative.
    var isValid: Bool { total.isFinite && storage.min() >= 0 }

    /// Returns the sum of both scores for each category.
    package static func + (a: CategoryScores, b: CategoryScores) -> CategoryScores {
        var sum = a
        sum.storage += b.storage
        return sum
    }

    /// Returns the scores, multiplied by a factor.
    package static func * (scores: CategoryScores, factor: Double) -> CategoryScores {
        var product = scores
        product.storage *= factor
        return product
    }
}

/// The coarse category of an object according to the current evidence.
package struct CategoryVerdict: Hashable, Sendable {
    package var category: Category
    /// The confidence of the category, 0...1; `nil` if it is unknown.
    package var confidence: Double?

    package init(category: Category, confidence: Double?) {
        self.category = category
        self.confidence = confidence
    }

    /// The verdict without evidence.
    package static let unknown = CategoryVerdict(category: .unknown, confidence: nil)
}
