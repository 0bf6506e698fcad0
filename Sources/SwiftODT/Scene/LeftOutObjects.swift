/// Counts the objects that were not reported because of ``SceneOptions/maxObjects``.
public struct LeftOutObjects: Hashable, Sendable {
    /// Each track counts once, however often it was left out. Without tracking, each detection counts.
    public private(set) var objects = 0
    /// The frames in which at least one object was left out.
    public private(set) var frames = 0
    /// The most objects found in one frame, reported or not: what ``SceneOptions/maxObjects`` would have to be.
    public private(set) var mostInAFrame = 0

    /// Tracks that have been counted and may go on.
    private var counted: Set<Int> = []

    /// - Parameter reported: how many objects were reported in the same frame.
    mutating func note(_ tracks: [Track], beside reported: Int) {
        guard !tracks.isEmpty else { return }
        frames += 1
        mostInAFrame = max(mostInAFrame, reported + tracks.count)
        for track in tracks {
            // Without an id a result holds until the next one: it counts when it is new.
            let isNew = track.id.map { counted.insert($0).inserted } ?? (track.state == .new)
            if isNew { objects += 1 }
        }
    }

    /// A track has ended: its id does not come back.
    mutating func forget(_ id: Int) { counted.remove(id) }
}
