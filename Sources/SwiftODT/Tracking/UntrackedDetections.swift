extension Tracker {
    /// Calls `body` for each detection of the latest result that no track has used.
    func forEachUntracked(of answer: [Detection], _ body: (Detection) -> Void) {
        // A dropped result has no flags.
        guard state.matcher.isTaken.count == answer.count else { return }
        for (source, detection) in answer.enumerated() where !state.matcher.isTaken[source] { body(detection) }
    }

    /// Returns the label and the best score of each tentative track that ended since the last call.
    func takeUnconfirmed() -> [(label: Label?, score: Double)] {
        if state.unconfirmed.isEmpty { return [] }
        defer { state.unconfirmed.removeAll(keepingCapacity: true) }
        return state.unconfirmed
    }
}
