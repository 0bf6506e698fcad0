/// The coarse categories of ML Kit, with its indices as raw values.
public enum Category: Int, CaseIterable, Sendable {
    case unknown = -1
    case fashionGood = 0
    case homeGood = 1
    case food = 2
    case place = 3
    case plant = 4
}

extension Category {
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
