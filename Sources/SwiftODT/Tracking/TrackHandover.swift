/// Moves an object from one tracker to another: an unclassified moving object gets a label and keeps its id.
extension Tracker {
    /// Returns an id for an object of another tracker, from the sequence of the track ids.
    func takeID() -> Int {
        defer { state.nextID += 1 }
        return state.nextID
    }

    /// Gives a track the id, age and path length of an object that another tracker followed before. Its own id is not
    /// reused.
    ///
    /// - Returns: the track with its new id; `nil` if there is no track with the id.
    func adoptIdentity(_ id: Int, as previous: Track, after pathLength: Double) -> Track? {
        guard let index = state.tracklets.indices.first(where: { state.tracklets[$0].id == id }),
            let known = previous.id
        else { return nil }
        state.tracklets[index].adoptIdentity(as: known, since: previous.firstSeen, after: pathLength)
        return state.tracks().first { $0.id == known }
    }

    /// Removes a track without an event, because another tracker continues it.
    func release(_ id: Int) { state.tracklets.removeAll { $0.id == id } }
}
