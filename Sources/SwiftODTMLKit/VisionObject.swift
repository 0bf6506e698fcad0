import Foundation
import SwiftODT

/// An object in an image.
public struct VisionObject: Hashable, Sendable {
    /// The bounding box, clipped to the image, in pixels of the image as stored (before the orientation is applied).
    public let box: Box
    private let id: Int?
    private let category: Category
    private let categoryConfidence: Double?
    private let classifierLabel: ClassifierLabel?
    private let hasClassifierLabels: Bool
    /// The detector's confidence, 0...1.
    public let score: Double
    /// The detector's label, such as `person`; `nil` if the detector does not classify.
    public let name: String?

    /// The category; `unknown` if classification is disabled or has no result yet.
    public var classificationCategory: VisionObjectCategory { VisionObjectCategory(category) }

    /// ``box`` as a `CGRect`.
    public var frame: CGRect { CGRect(x: box.x, y: box.y, width: box.width, height: box.height) }

    /// The tracking id, a number from 1. It stays the same while the object is tracked. `nil` for single images.
    public var trackingID: NSNumber? { id.map { NSNumber(value: $0) } }

    /// The confidence of the category, 0...1; `nil` if the category is unknown.
    public var confidence: NSNumber? { categoryConfidence.map { NSNumber(value: $0) } }

    /// The label of a custom classifier (``VisionObjectDetectorOptions/classifierFile``), or without one the category:
    /// at most one element.
    public var labels: [VisionObjectLabel] {
        if hasClassifierLabels {
            return classifierLabel.map {
                [VisionObjectLabel(text: $0.label.text, index: $0.label.index, confidence: Float($0.score))]
            } ?? []
        }
        guard let categoryConfidence else { return [] }
        return [
            VisionObjectLabel(
                text: category.name.prefix(1).uppercased() + category.name.dropFirst(), index: category.rawValue,
                confidence: Float(categoryConfidence))
        ]
    }

    /// - Parameter hasClassifierLabels: whether ``labels`` contains the classifier's label instead of the category.
    init(_ object: SceneObject, width: Int, height: Int, hasClassifierLabels: Bool) {
        box = object.track.box.clipped(width: width, height: height)
        id = object.track.id
        category = object.category
        categoryConfidence = object.category == .unknown ? nil : object.confidence
        (classifierLabel, self.hasClassifierLabels) = (object.classifierLabel, hasClassifierLabels)
        score = object.track.score
        name = object.track.label?.text
    }
}

/// The coarse categories, with the names and raw values of ML Kit for Firebase.
public enum VisionObjectCategory: Int, CaseIterable, Sendable {
    /// No category.
    case unknown = 0
    /// Furniture and household articles.
    case homeGoods = 1
    /// Clothing and accessories.
    case fashionGoods = 2
    /// Food and drinks.
    case food = 3
    /// Buildings and outdoor places.
    case places = 4
    /// Plants.
    case plants = 5

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

/// A label of a custom classifier, or a category, with its name and index, as in ML Kit's current interface.
public struct VisionObjectLabel: Hashable, Sendable {
    /// The classifier's label, or the name of the category: `Fashion good`, `Home good`, `Food`, `Place` or `Plant`.
    public let text: String
    /// The index of the class, or of the category from 0 for `Fashion good` to 4 for `Plant`.
    public let index: Int
    /// The confidence, 0...1.
    public let confidence: Float
}
