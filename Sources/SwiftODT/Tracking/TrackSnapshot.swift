import Glibc

extension Track {
    /// What a snapshot is taken of: the frame that is shown, the one that tracklets stand at, and how long tracks live.
    struct SnapshotTime {
        var now: Nanoseconds
        var settled: Nanoseconds
        var maxAge: Nanoseconds
    }

    /// A tracklet as it is to be shown. By address, as it is large and would be copied for the call.
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
