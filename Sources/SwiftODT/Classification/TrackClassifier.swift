/// Gives every track a coarse category: `[Track] -> [CategoryVerdict]`.
///
/// What the detector calls an object decides where the ``CategoryTable`` knows that name, at no cost. For others a
/// classifier looks at the object's crop, rarely: when the object is new, has grown, or leaves doubt.
///
///     let table = try CategoryTable.installed()
///     var classifier = TrackClassifier(table: table, crop: try CropClassifier(table: table))
///     let verdicts = try classifier.classify(tracker.tracks, in: frame, wait: true)
///     print(verdicts.map { "\($0.category.name) \($0.confidence ?? 0)" })
public struct TrackClassifier: Sendable {
    private let table: CategoryTable
    private let crop: (any Classifier)?
    /// May change between calls.
    public var options: TrackClassifierOptions
    private var records: [Int: TrackClassificationState] = [:]
    private var call = 0

    /// Calls that a track may be absent from before it is forgotten: callers may leave some out now and then.
    private static let memory = 60

    /// - Parameter crop: looks at objects whose label says nothing; without it these stay unknown.
    public init(
        table: CategoryTable = .standard, crop: (any Classifier)? = nil, options: TrackClassifierOptions = .init()
    ) {
        self.table = table
        self.crop = crop
        self.options = options
    }

    /// Looks at the tracks of one frame: collects the answers that have arrived and starts to classify crops where that is
    /// needed.
    ///
    /// At most one crop is started a call and nothing is waited for, unless `wait` says that all answers have to be there.
    /// Tracks without an id cannot be recognised in the next frame: without `wait` only their label speaks for them.
    /// - Parameters:
    ///   - frame: the picture that the tracks' boxes speak of; `nil` when it is gone, then no crop is started.
    ///   - wait: as a single image asks, and a file that has to give the same result each time.
    /// - Returns: a verdict for each track, in the same order.
    /// - Throws: what the classifier throws. What is known of the tracks is kept.
    public mutating func classify(_ tracks: [Track], in frame: Frame?, wait: Bool) throws -> [CategoryVerdict] {
        call += 1
        var current = tracks.map { track in track.id.flatMap { records[$0] } ?? TrackClassificationState() }
        defer { keep(current, of: tracks) }

        for (index, track) in tracks.enumerated() {
            current[index].readLabel(of: track, table: table, threshold: max(0, options.threshold))
            try collect(&current[index], wait: false)
        }
        if let frame, let crop {
            let due = due(tracks, current, in: frame)
            for index in wait ? due : nextUnwaited(due, of: tracks, capacity: crop.capacity) {
                try current[index].requestClassification(crop, about: tracks[index], in: frame)
            }
        }
        if wait {
            for index in current.indices { try collect(&current[index], wait: true) }
        }
        return current.map(\.verdict)
    }

    /// Forgets all tracks: a new epoch begins.
    public mutating func reset() {
        records.removeAll()
    }

    private func collect(_ record: inout TrackClassificationState, wait: Bool) throws {
        let own = crop?.threshold ?? 0
        try record.collect(threshold: options.threshold < 0 ? own : options.threshold, wait: wait)
    }

    /// The tracks whose crops should be looked at, the most urgent first, of these the largest.
    private func due(_ tracks: [Track], _ records: [TrackClassificationState], in frame: Frame) -> [Int] {
        tracks.indices.compactMap { index in
            records[index].urgency(of: tracks[index], in: frame, options).map { (urgency: $0.rawValue, index: index) }
        }
        .sorted { (-$0.urgency, -tracks[$0.index].box.area) < (-$1.urgency, -tracks[$1.index].box.area) }
        .map(\.index)
    }

    /// The first whose answer can be given later, if the classifier has a free hand.
    private func nextUnwaited(_ due: [Int], of tracks: [Track], capacity: Int) -> [Int] {
        guard records.values.count(where: \.isWaiting) < capacity else { return [] }
        return due.first { tracks[$0].id != nil }.map { [$0] } ?? []
    }

    private mutating func keep(_ current: [TrackClassificationState], of tracks: [Track]) {
        for (track, record) in zip(tracks, current) {
            guard let id = track.id else { continue }
            records[id] = track.state == .lost ? nil : record
            records[id]?.lastCall = call
        }
        if call % Self.memory == 0 {
            records = records.filter { call - $0.value.lastCall < Self.memory }
        }
    }
}
