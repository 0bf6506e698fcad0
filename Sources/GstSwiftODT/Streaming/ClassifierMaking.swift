import SwiftODT

extension TrackClassifier {
    /// Makes the classifier that the settings ask for. Compiling its network may take seconds the first time.
    ///
    /// - Parameter warn: told where categories come from labels alone, because no classifier is installed.
    /// - Throws: where a classifier, its labels or a device were named and cannot be used.
    static func make(_ settings: Settings, warn: (ElementProblem) -> Void) throws -> TrackClassifier {
        let table = try CategoryTable.installed()
        var crop: CropClassifier?
        do {
            crop = try CropClassifier(
                modelFile: settings.classifierFile, labelFile: settings.classifierLabelFile, device: settings.device,
                threads: settings.threads, table: table)
        } catch  where !settings.namesClassifierParts {
            warn(ElementProblem(error, doing: "categories come from the detector's labels alone"))
        }
        return TrackClassifier(table: table, crop: crop)
    }
}
