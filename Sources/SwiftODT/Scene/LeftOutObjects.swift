/// Counts the objects that were not reported because of ``SceneOptions/maxObjects``.
package struct LeftOutObjects: Hashable, Sendable {
    /// The number of objects. Each track counts once, even if it was left out in many frames. Without tracking, each
    /// detection counts.
    package private(set) var objects = 0
    /// The number of frames in which at least one object was left out.
    package private(set) var frames = 0
    /// The maximum number of objects in one frame, reported or not. With this value of ``SceneOptions/maxObjects``, no
    /// object would have been left out.
    package private(set) var mostInAFrame = 0

    /// The ids of the tracks that are counted and have not ended.
    private var counted: Set<Int> = []

    /// Counts the objects that were left out of one frame.
    ///
    /// - Parameters:
    ///   - tracks: the objects that were left out.
    ///   - reported: the number of objects that were reported in the frame.
    mutating func note(_ tracks: [Track], beside reported: Int) {
        guard !tracks.isEmpty else { return }
        frames += 1
        mostInAFrame = max(mostInAFrame, reported + tracks.count)
        for track in tracks {
            // Without tracking, an object is kept until the next result, so it is counted only in its first frame.
            let isNew = track.id.map { counted.insert($0).inserted } ?? (track.state == .new)
            if isNew { objects += 1 }
        }
    }

    /// Forgets a track that has ended. Its id is not reused.
    mutating func forget(_ id: Int) { counted.remove(id) }
}
