import Glibc

extension Track {
    /// The times of a snapshot: the frame to report, the frame of the tracklets' states, and the maximum age.
    struct SnapshotTime {
        var now: Nanoseconds
        var settled: Nanoseconds
        var maxAge: Nanoseconds
    }

    /// Creates a snapshot. Takes a pointer, because a tracklet is large and a copy is slow.
    @inline(__always)
    init(of tracklet: UnsafePointer<Tracklet>, at moment: SnapshotTime) {
        let age = max(0, moment.now - tracklet.pointee.lastSeen)
        let isCoasting = tracklet.pointee.misses > 0
        let decay = isCoasting ? exp(-2 * Double(age) / Double(max(1, moment.maxAge))) : 1
        self.init(
            id: tracklet.pointee.id, box: tracklet.pointee.shownBox(at: moment.settled),
            score: tracklet.pointee.strongScore, label: tracklet.pointee.votes.winner,
            state: isCoasting ? .coasting : tracklet.pointee.isNew ? .new : .tracked,
            firstSeen: tracklet.pointee.knownSince, lastSeen: tracklet.pointee.lastSeen, timeSinceUpdate: age,
            velocityX: tracklet.pointee.filter.velocity.x, velocityY: tracklet.pointee.filter.velocity.y)
        decayedScore = tracklet.pointee.score * decay
    }
}
