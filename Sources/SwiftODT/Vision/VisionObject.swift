/// An object in an image.
public struct VisionObject: Hashable, Sendable {
    /// The bounding box in pixels of the image as stored, before the orientation is applied, clipped to the image.
    ///
    /// If `SwiftODTFoundation` is imported, `frame` is a `CGRect` as in ML Kit, and ``box`` has the type `Box`.
    @_disfavoredOverload
    public let frame: Box
    /// The same as ``frame``, regardless of imported modules.
    public var box: Box { frame }
    /// An id from 1 that stays the same while the object is tracked; `nil` for single images.
    public let trackingID: Int?
    /// The category; `unknown` if classification is disabled or has no result yet.
    public let classificationCategory: VisionObjectCategory
    /// The confidence of the category, 0...1; `nil` if the category is unknown.
    public let confidence: Double?
    /// The detector's confidence, 0...1.
    public let score: Double
    /// The detector's label, such as `person`; `nil` if the detector does not classify.
    public let name: String?

    /// The category as a list, as in ML Kit's current interface: one label, or none for an unknown category.
    public var labels: [VisionObjectLabel] {
        guard let confidence, let category = Category(rawValue: classificationCategory.rawValue) else { return [] }
        return [VisionObjectLabel(text: category.name, index: category.rawValue, confidence: Float(confidence))]
    }
}

extension VisionObject {
    init(_ object: SceneObject, width: Int, height: Int) {
        let isKnown = object.category != .unknown
        frame = object.track.box.clipped(width: width, height: height)
        trackingID = object.track.id
        classificationCategory = VisionObjectCategory(object.category)
        confidence = isKnown ? object.confidence : nil
        score = object.track.score
        name = object.track.label?.text
    }
}

/// The coarse categories with ML Kit's names.
public enum VisionObjectCategory: Int, CaseIterable, Sendable {
    case unknown = -1
    case fashionGoods = 0
    case homeGoods = 1
    case food = 2
    case places = 3
    case plants = 4
}

extension VisionObjectCategory {
    init(_ category: Category) {
        self =
            switch category {
            case .unknown: .unknown
            case .fashionGood: .fashionGoods
            case .homeGood: .homeGoods
            case .food: .food
            case .place: .places
            case .plant: .plants
            }
    }
}

/// A category with its name and index.
public struct VisionObjectLabel: Hashable, Sendable {
    public let text: String
    public let index: Int
    public let confidence: Float
}
