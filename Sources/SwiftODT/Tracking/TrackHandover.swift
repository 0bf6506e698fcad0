/// One object, two trackers: what was followed without a name by one goes on with its name in another.
extension Tracker {
    /// An id for an object that somebody else follows, from the same sequence as those of the tracks.
    func takeID() -> Int {
        defer { state.nextID += 1 }
        return state.nextID
    }

    /// Says that a track is an object that was known before: it keeps its former id, and how long and how far it has been
    /// followed. Its own id is never used.
    ///
    /// - Returns: the track as it is now; `nil` where there is none of that id.
    func adoptIdentity(_ id: Int, as previous: Track, after pathLength: Double) -> Track? {
        guard let index = state.tracklets.indices.first(where: { state.tracklets[$0].id == id }), let known = previous.id
        else { return nil }
        state.tracklets[index].adoptIdentity(as: known, since: previous.firstSeen, after: pathLength)
        return state.tracks().first { $0.id == known }
    }

    /// Lets go of a track without a word, as another tracker follows the object from now on.
    func release(_ id: Int) { state.tracklets.removeAll { $0.id == id } }
}
