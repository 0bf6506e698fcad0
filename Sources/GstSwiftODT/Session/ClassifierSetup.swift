import SwiftODT

/// Makes the classifier that the settings ask for, and again when they have changed.
struct ClassifierSetup {
    private struct Recipe: Equatable {
        let threshold: Double
    }

    private var recipe: Recipe?

    /// - Parameter warn: told where categories come from labels alone, because there is no classifier.
    /// - Returns: `nil` where the last one still fits.
    mutating func classifier(_ settings: Settings, warn: (Complaint) -> Void) throws -> TrackClassifier? {
        let wanted = Recipe(threshold: settings.classificationThreshold)
        guard wanted != recipe else { return nil }
        recipe = wanted
        return TrackClassifier(options: TrackClassifierOptions(threshold: settings.classificationThreshold))
    }
}
