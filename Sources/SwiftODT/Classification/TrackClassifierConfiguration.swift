/// The settings from which a ``TrackClassifier`` is created.
package struct TrackClassifierConfiguration: Hashable, Sendable {
    /// A path or the name of an installed model. `nil` for the installed default model, if there is one.
    package var modelFile: String?
    /// The label file. Needed if the labels are neither in the model nor beside it.
    package var labelFile: String?
    /// The OpenVINO device name.
    package var device: String
    /// The number of threads. With 0, the default, the runtime decides.
    package var threads: Int
    package var options: TrackClassifierOptions
    /// Whether a missing model is an error. If not, categories follow from the detector's labels alone.
    package var isModelNeeded: Bool

    package init(
        modelFile: String? = nil, labelFile: String? = nil, device: String = "CPU", threads: Int = 0,
        options: TrackClassifierOptions = TrackClassifierOptions(), isModelNeeded: Bool? = nil
    ) {
        self.modelFile = modelFile
        self.labelFile = labelFile
        self.device = device
        self.threads = threads
        self.options = options
        self.isModelNeeded = isModelNeeded ?? (modelFile != nil || ModelChoice.of(.classifier) != nil)
    }

    /// Creates the classifier. The first compilation of its network can take seconds.
    ///
    ///     let configuration = TrackClassifierConfiguration()
    ///     let classifier = try configuration.makeClassifier { print("categories from labels alone:", $0) }
    ///
    /// - Parameter without: a closure that is called with the error if an optional network is unavailable.
    /// - Throws: ``ODTError`` if a required file is missing or invalid.
    package func makeClassifier(without: (any Error) -> Void = { _ in }) throws -> TrackClassifier {
        let table = try CategoryTable.installed()
        var crop: CropClassifier?
        do {
            crop = try CropClassifier(
                modelFile: modelFile, labelFile: labelFile, device: device, threads: threads, table: table)
        } catch  where !isModelNeeded {
            without(error)
        }
        return TrackClassifier(table: table, crop: crop, options: options)
    }
}

package struct TrackClassifierOptions: Hashable, Sendable {
    /// The minimum confidence of a reported category, 0 to 1. With -1, the default, the threshold of the classifier's
    /// model applies, and categories from the detector's labels have no minimum.
    package var threshold: Double
    /// The minimum growth factor of the object's area, since the last crop, that triggers another crop. Default 1.5.
    package var growth: Double
    /// The time until another crop is classified after an ambiguous result. Default 0.5 s. It doubles with each further
    /// crop.
    package var retryInterval: Nanoseconds

    package init(threshold: Double = -1, growth: Double = 1.5, retryInterval: Nanoseconds = 500_000_000) {
        (self.threshold, self.growth, self.retryInterval) = (threshold, growth, retryInterval)
    }
}
