/// What an answer had that came to nothing.
extension TrackerState {
    /// Calls for each detection of the latest answer that no track has taken in and that begins none.
    func forEachUntracked(of answer: [Detection], _ body: (Detection) -> Void) {
        for (source, detection) in answer.enumerated()
        where !matcher.pairs.view.contains(where: { $0.detection.source == source })
            && !matcher.newcomers.view.contains(where: { $0.source == source })
        {
            body(detection)
        }
    }
}

extension Tracker {
    /// Calls for each detection of the latest answer that no track has taken in and that begins none.
    func forEachUntracked(of answer: [Detection], _ body: (Detection) -> Void) {
        state.forEachUntracked(of: answer, body)
    }

    /// Objects that went since the last call before they had been seen often enough to be shown: what each was called, and its
    /// best score.
    func takeUnproved() -> [(label: Label?, score: Double)] {
        if state.unproved.isEmpty { return [] }
        defer { state.unproved.removeAll(keepingCapacity: true) }
        return state.unproved
    }
}
