/// The options from which a ``TrackClassifier`` is created.
package struct TrackClassifierConfiguration: Hashable, Sendable {
    /// A path or the name of an installed model; `nil` for the installed default, if there is one.
    package var modelFile: String?
    /// The label file, if the labels are neither in the model nor beside it.
    package var labelFile: String?
    /// The OpenVINO device name.
    package var device: String
    /// The number of threads; 0, the default, lets the runtime decide.
    package var threads: Int
    package var options: TrackClassifierOptions
    /// Whether a missing model is an error. Otherwise, categories can follow from the detector's labels alone.
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
        self.isModelNeeded = isModelNeeded ?? (modelFile != nil)
    }

    /// Creates the classifier. Compiling its network can take seconds the first time.
    ///
    ///     let configuration = TrackClassifierConfiguration()
    ///     let classifier = try configuration.makeClassifier { print("categories from labels alone:", $0) }
    ///
    /// - Parameter without: called with the error if an optional network is unavailable.
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

/// The options of a ``TrackClassifier``.
package struct TrackClassifierOptions: Hashable, Sendable {
    /// Minimum confidence of a reported category. -1, the default, uses the threshold of the classifier's model, and
    /// none for categories that follow from the detector's label.
    package var threshold: Double
    /// Growth of the object's area since the last crop that triggers another one. The default is a factor of 1.5.
    package var growth: Double
    /// Interval until another crop after an ambiguous result, default 0.5 s. It doubles with each crop.
    package var retryInterval: Nanoseconds

    package init(threshold: Double = -1, growth: Double = 1.5, retryInterval: Nanoseconds = 500_000_000) {
        self.threshold = threshold
        self.growth = growth
        self.retryInterval = retryInterval
    }
}
