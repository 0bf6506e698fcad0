/// An object in an image.
public struct VisionObject: Hashable, Sendable {
    /// Where it is, in pixels of the image as it lies in the buffer (not turned upright), clipped to it.
    ///
    /// Where `SwiftODTFoundation` is imported it is a `CGRect`, as ML Kit's guide has it, and ``box`` is this.
    @_disfavoredOverload
    public let frame: Box
    /// The ``frame``, whatever else is imported.
    public var box: Box { frame }
    /// From 1, the same from call to call while the object is followed; `nil` for single images.
    public let trackingID: Int?
    /// `unknown` where classification is off or nothing is known yet.
    public let classificationCategory: VisionObjectCategory
    /// How sure the category is, 0...1; `nil` where that is unknown.
    public let confidence: Double?
    /// How sure the detector is that there is an object, 0...1.
    public let score: Double
    /// What the detector calls it, such as `person`; `nil` for detectors that do not say.
    public let name: String?

    /// The category as ML Kit's current interface tells it: one label, or none where it is unknown.
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

/// The coarse categories by ML Kit's names.
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

/// A category with its name and place in the list.
public struct VisionObjectLabel: Hashable, Sendable {
    public let text: String
    public let index: Int
    public let confidence: Float
}
