extension Tracker {
    /// Calls for each detection of the latest answer that no track has taken in. Linear in their number.
    func forEachUntracked(of answer: [Detection], _ body: (Detection) -> Void) {
        // An answer that was dropped has left no word of its detections.
        guard state.matcher.isTaken.count == answer.count else { return }
        for (source, detection) in answer.enumerated() where !state.matcher.isTaken[source] { body(detection) }
    }

    /// Objects that went since the last call before they had been seen often enough to be shown: what each was called, and its
    /// best score.
    func takeUnconfirmed() -> [(label: Label?, score: Double)] {
        if state.unconfirmed.isEmpty { return [] }
        defer { state.unconfirmed.removeAll(keepingCapacity: true) }
        return state.unconfirmed
    }
}
