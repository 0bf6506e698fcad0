import SwiftODT

/// Gives the scene its classifier: before the first frame where one is asked for then, else when it has been made on a
/// thread of its own; until then categories are unknown.
struct ClassifierLoader {
    private let element: ElementHandle
    private var loaded: TrackClassifier?
    private var loading: BackgroundTask<LoadResult<TrackClassifier>>?
    /// Not tried again before the element starts anew.
    private var hasFailed = false

    init(element: ElementHandle) { self.element = element }

    /// - Throws: where a classifier, its labels or a device were named and cannot be used.
    mutating func make(_ settings: Settings) throws {
        if settings.scene.classify { try take(Result { try Self.load(settings) }, settings) }
    }

    private static func load(_ settings: Settings) throws -> LoadResult<TrackClassifier> {
        try LoadResult { warn in
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
            if let result = loading?.take() {
                loading = nil
                try take(result, settings)
            } else if loaded == nil, loading == nil {
                loading = BackgroundTask { try Self.load(settings) }
            }
            scene.classifier = loaded
        }
        scene.classifier?.options.threshold = settings.classificationThreshold
    }

    private mutating func take(_ result: Result<LoadResult<TrackClassifier>, any Error>, _ settings: Settings) throws {
        do {
            loaded = try result.get().logged(by: element)
        } catch {
            hasFailed = true
            guard settings.classifierRecipe.isModelNeeded else {
                return element.warn(ElementProblem(error, doing: "categories stay unknown"))
            }
            throw error
        }
    }
}
