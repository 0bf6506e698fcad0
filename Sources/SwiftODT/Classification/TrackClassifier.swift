/// Assigns a coarse category to every track.
///
/// If the ``CategoryTable`` contains the label of a track, the label determines the category. For other tracks, and with
/// ``TrackClassifierOptions/classifiesAll`` for all tracks, a classifier processes a crop. To save time, it processes
/// only crops of tracks that are new, have grown, or have ambiguous evidence.
///
///     let table = try CategoryTable.installed()
///     var classifier = TrackClassifier(table: table, crop: try CropClassifier(table: table))
///     let verdicts = try classifier.classify(tracker.tracks, in: frame, wait: true)
///     print(verdicts.map { "\($0.category.name) \($0.confidence ?? 0)" })
package struct TrackClassifier: Sendable {
    private let table: CategoryTable
    private let crop: (any Classifier)?
    package var options: TrackClassifierOptions
    private var records: [Int: TrackClassificationState] = [:]
    /// The classifications that may still be in flight. Tracks can disappear before their classification ends.
    private var started: [ClassificationPromise] = []
    private var call = 0

    /// The state of a track is removed after this number of calls without the track. It is kept until then, because
    /// calls can omit a track temporarily.
    private static let retainedCalls = 60

    /// - Parameter crop: the classifier of crops. With `nil`, the category of objects whose label has no category
    ///   remains unknown.
    package init(
        table: CategoryTable = .standard, crop: (any Classifier)? = nil, options: TrackClassifierOptions = .init()
    ) {
        self.table = table
        self.crop = crop
        self.options = options
    }

    /// Returns the categories of the tracks of one frame. Collects available results, and starts the classification of
    /// crops if necessary.
    ///
    /// If `wait` is false, the call starts the classification of at most one crop and does not wait for its result. A
    /// track without an id cannot be matched in the next frame. Without `wait`, the category of such a track follows
    /// only from its label.
    ///
    /// - Parameters:
    ///   - frame: the frame to which the boxes of the tracks belong. With `nil`, no crop is classified.
    ///   - wait: whether to block until all results are available, as for single images and for reproducible processing
    ///     of files.
    /// - Returns: a verdict for each track, in the same order.
    /// - Throws: the errors of the classifier. The states of the tracks are kept.
    package mutating func classify(_ tracks: [Track], in frame: Frame?, wait: Bool) throws -> [CategoryVerdict] {
        call += 1
        var current = tracks.map { track in track.id.flatMap { records[$0] } ?? TrackClassificationState() }
        defer { keep(current, of: tracks) }

        for (index, track) in tracks.enumerated() {
            current[index].readLabel(of: track, table: table, threshold: max(0, options.threshold))
            try current[index].collect(threshold: threshold, wait: false)
        }
        if let frame, let crop {
            started.removeAll(where: \.isDone)
            let due = due(tracks, current, in: frame)
            for index in wait ? due : nextUnwaited(due, of: tracks, capacity: crop.capacity) {
                started += [try current[index].requestClassification(crop, about: tracks[index], in: frame)]
            }
        }
        if wait {
            for index in current.indices { try current[index].collect(threshold: threshold, wait: true) }
        }
        return current.map { $0.verdict(includesClassifierLabel: options.classifiesAll, threshold: threshold) }
    }

    /// Transfers the state of a track to the id that replaces its id.
    mutating func rename(_ id: Int, to other: Int) {
        if let record = records.removeValue(forKey: id) { records[other] = record }
    }

    package mutating func reset() {
        records.removeAll()
    }

    /// The minimum confidence of results of the classifier.
    private var threshold: Double { options.threshold < 0 ? crop?.threshold ?? 0 : options.threshold }

    /// Returns the indices of the tracks whose crops should be classified, in descending order of urgency and area.
    private func due(_ tracks: [Track], _ records: [TrackClassificationState], in frame: Frame) -> [Int] {
        tracks.indices.compactMap { index in
            records[index].urgency(of: tracks[index], in: frame, options, threshold: threshold)
                .map { (urgency: $0.rawValue, index: index) }
        }
        .sorted { (-$0.urgency, -tracks[$0.index].box.area) < (-$1.urgency, -tracks[$1.index].box.area) }
        .map(\.index)
    }

    /// Returns the index of the track that is classified without waiting for the result: the first track in `due` that
    /// has an id. Without an id, the result could not be assigned to the track in a later call. Returns an empty array
    /// if there is no such track, or if the classifier has no free capacity.
    private func nextUnwaited(_ due: [Int], of tracks: [Track], capacity: Int) -> [Int] {
        guard started.count < capacity else { return [] }
        return due.first { tracks[$0].id != nil }.map { [$0] } ?? []
    }

    private mutating func keep(_ current: [TrackClassificationState], of tracks: [Track]) {
        for (track, record) in zip(tracks, current) {
            guard let id = track.id else { continue }
            records[id] = track.state == .lost ? nil : record
            records[id]?.lastCall = call
        }
        if call % Self.retainedCalls == 0 {
            records = records.filter { call - $0.value.lastCall < Self.retainedCalls }
        }
    }
}

package struct TrackClassifierConfiguration: Hashable, Sendable {
    /// A path or the name of an installed model. `nil` for the installed default model, if there is one.
    package var modelFile: String?
    /// Needed if the labels are neither in the model nor beside it.
    package var labelFile: String?
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
        self.options.classifiesAll = modelFile != nil
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
        if let crop, !crop.hasCategories, !options.classifiesAll {
            without(
                ODTError(
                    .unsupported,
                    "none of the classifier's labels has a category; list the labels in \(CategoryTable.userFile) in a model folder"
                ))
        }
        return TrackClassifier(table: table, crop: crop, options: options)
    }
}

package struct TrackClassifierOptions: Hashable, Sendable {
    /// The minimum confidence of a new category or of a classifier label, 0 to 1. A reported category stays until its
    /// confidence is 0.1 lower. With -1, the default, the threshold of the classifier's model applies, and categories
    /// from the detector's labels have no minimum.
    package var threshold: Double
    /// Another crop is classified if the area of the object has grown by at least this factor since the last crop.
    /// Default 1.5.
    package var growth: Double
    /// The time from an ambiguous result until another crop is classified, in nanoseconds, default 0.5 s. It doubles
    /// with each further crop.
    package var retryInterval: Nanoseconds
    /// Whether a custom classifier is used: it classifies all objects, and its labels are reported. With `false`, the
    /// default, only objects whose label has no category are classified.
    package var classifiesAll = false

    package init(threshold: Double = -1, growth: Double = 1.5, retryInterval: Nanoseconds = 500_000_000) {
        (self.threshold, self.growth, self.retryInterval) = (threshold, growth, retryInterval)
    }
}
