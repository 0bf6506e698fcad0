import SwiftODT

/// Gives the scene its classifier: before the first frame where one is asked for then, else when it has been made on a
/// thread of its own; until then categories are unknown.
struct ClassifierExchange {
    private let element: ElementHandle
    private var made: TrackClassifier?
    private var underWay: Making<MadePart<TrackClassifier>>?
    /// Not tried again before the element starts anew.
    private var hasFailed = false

    init(element: ElementHandle) { self.element = element }

    /// - Throws: where a classifier, its labels or a device were named and cannot be used.
    mutating func make(_ settings: Settings) throws {
        if settings.scene.classify { try take(Result { try Self.made(settings) }, settings) }
    }

    private static func made(_ settings: Settings) throws -> MadePart<TrackClassifier> {
        try MadePart { warn in
            try settings.classifierRecipe.makeClassifier { error in
                warn(ElementProblem(error, doing: "categories come from the detector's labels alone"))
            }
        }
    }

    /// Lets a classifier be made where one is asked for, and take up its work once it is there. Never waits.
    ///
    /// - Throws: where a classifier, its labels or a device were named and cannot be used.
    mutating func adapt(to settings: Settings, in scene: Scene) throws {
        guard settings.scene.classify else { return }
        if scene.classifier == nil, !hasFailed {
            if let result = underWay?.take() {
                underWay = nil
                try take(result, settings)
            } else if made == nil, underWay == nil {
                underWay = Making { try Self.made(settings) }
            }
            scene.classifier = made
        }
        scene.classifier?.options.threshold = settings.classificationThreshold
    }

    private mutating func take(_ result: Result<MadePart<TrackClassifier>, any Error>, _ settings: Settings) throws {
        do {
            made = try result.get().told(by: element)
        } catch {
            hasFailed = true
            guard settings.classifierRecipe.isModelNeeded else {
                return element.warn(ElementProblem(error, doing: "categories stay unknown"))
            }
            throw error
        }
    }
}
