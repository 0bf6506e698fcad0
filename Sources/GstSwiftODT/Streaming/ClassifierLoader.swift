import SwiftODT

/// Loads the scene's classifier: before the first frame if classification is enabled at start, otherwise on a
/// background thread. Until it is loaded, categories are unknown.
struct ClassifierLoader {
    private let element: ElementHandle
    private var loaded: TrackClassifier?
    private var loading: BackgroundTask<LoadResult<TrackClassifier>>?
    /// Loading is not retried until the element is restarted.
    private var hasFailed = false

    init(element: ElementHandle) { self.element = element }

    /// Loads the classifier if classification is enabled.
    ///
    /// - Throws: an error if the user specified a classifier, labels or a device that cannot be used.
    mutating func make(_ settings: Settings) throws {
        if settings.scene.classify { try take(Result { try Self.load(settings) }, settings) }
    }

    private static func load(_ settings: Settings) throws -> LoadResult<TrackClassifier> {
        try LoadResult { warn in
            try settings.classifierRecipe.makeClassifier { error in
                warn(ElementProblem(error, doing: "categories are derived from the detector's labels only"))
            }
        }
    }

    /// Starts loading the classifier if classification has been enabled, and installs it when it is ready. Does not
    /// wait.
    ///
    /// - Throws: an error if the user specified a classifier, labels or a device that cannot be used.
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
