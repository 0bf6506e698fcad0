package typealias Category = TrackedObject.Category

extension TrackedObject.Category {
    /// The name used in messages and labels: `fashion good`, `home good`, `food`, `place`, `plant`, `unknown`.
    public var name: String {
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

    package subscript(category: Category) -> Double {
        get { storage[category.rawValue + 1] }
        set { storage[category.rawValue + 1] = newValue }
    }

    /// The sum of the scores of all categories. If it is less than 1, the remainder is not attributed to any category.
    package var total: Double { storage.sum() }

    /// The category with the highest score. `unknown` if no score is above 0.
    package var best: Category {
        Category.allCases.reduce(.unknown) { self[$1] > self[$0] ? $1 : $0 }
    }

    var isValid: Bool { total.isFinite && storage.min() >= 0 }

    package static func + (a: CategoryScores, b: CategoryScores) -> CategoryScores {
        var sum = a
        sum.storage += b.storage
        return sum
    }

    package static func * (scores: CategoryScores, factor: Double) -> CategoryScores {
        var product = scores
        product.storage *= factor
        return product
    }
}

/// The coarse category of an object according to the current evidence.
package struct CategoryVerdict: Hashable, Sendable {
    package var category: Category
    /// 0 to 1. `nil` if the category is unknown.
    package var confidence: Double?
    /// The label that the classifier assigned to crops of the object.
    package var classifierLabel: ClassifierLabel?

    package static let unknown = CategoryVerdict(category: .unknown, confidence: nil)
}
