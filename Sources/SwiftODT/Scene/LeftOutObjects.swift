/// Counts the objects that were not reported because of ``SceneOptions/maxObjects``.
package struct LeftOutObjects: Hashable, Sendable {
    /// Each track counts once, however often it was left out. Without tracking, each detection counts.
    package private(set) var objects = 0
    /// The frames in which at least one object was left out.
    package private(set) var frames = 0
    /// The most objects found in one frame, reported or not: what ``SceneOptions/maxObjects`` would have to be.
    package private(set) var mostInAFrame = 0

    /// The ids of counted tracks that have not ended.
    private var counted: Set<Int> = []

    /// - Parameter reported: the number of objects that were reported in the same frame.
    mutating func note(_ tracks: [Track], beside reported: Int) {
        guard !tracks.isEmpty else { return }
        frames += 1
        mostInAFrame = max(mostInAFrame, reported + tracks.count)
        for track in tracks {
            // Without an id, a result is kept until the next one, and counts only when it is new.
            let isNew = track.id.map { counted.insert($0).inserted } ?? (track.state == .new)
            if isNew { objects += 1 }
        }
    }

    /// Forgets a track that has ended; its id is not reused.
    mutating func forget(_ id: Int) { counted.remove(id) }
}
