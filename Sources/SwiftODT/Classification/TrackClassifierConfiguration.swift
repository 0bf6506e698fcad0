/// What a ``TrackClassifier`` is to be made of: the names a user gives.
public struct TrackClassifierConfiguration: Hashable, Sendable {
    /// A path or the name of an installed model; `nil` for the installed default, if there is one.
    public var modelFile: String?
    /// The labels, if they are not in the model or beside it.
    public var labelFile: String?
    /// The runtime's name for what computes.
    public var device: String
    /// 0 leaves it to the runtime.
    public var threads: Int
    public var options: TrackClassifierOptions
    /// Whether something was asked for that must be there; without it, categories may come from the detector's labels alone.
    public var isModelNeeded: Bool

    public init(
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

    /// Makes it. Compiling its network may take seconds the first time.
    ///
    ///     let configuration = TrackClassifierConfiguration()
    ///     let classifier = try configuration.makeClassifier { print("categories from labels alone:", $0) }
    ///
    /// - Parameter without: told why there is no network, where none is needed.
    /// - Throws: ``ODTError`` where something was named and cannot be used.
    public func makeClassifier(without: (any Error) -> Void = { _ in }) throws -> TrackClassifier {
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
