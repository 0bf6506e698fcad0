/// The position of one track in the latest frame, whether the track is reported or not. The positions in other frames
/// are interpolated from this data.
struct TrackPosition {
    /// The key of the track. It stays the same from the first detection to the end.
    var key: Int
    /// In buffer pixels, propagated to the latest frame, not clipped to the picture.
    var box: Box
    var firstSeen: Nanoseconds
    var lastSeen: Nanoseconds
    /// The box of the detection at ``lastSeen``.
    var lastBox: Box
    /// The time for which the track has been missed. `nil` if the latest result that covered the track detected it.
    var missedFor: Nanoseconds?
}

extension TrackerState {
    /// Returns the positions of all tracks in the latest frame: tentative, confirmed and coasting ones.
    mutating func trackPositions() -> [TrackPosition] {
        settle(followingImage: true)
        return tracklets.map { tracklet in
            TrackPosition(
                key: tracklet.key, box: tracklet.shownBox(at: settledTime), firstSeen: tracklet.firstSeen,
                lastSeen: tracklet.lastSeen, lastBox: tracklet.lastBox,
                missedFor: tracklet.misses > 0 ? settledTime - tracklet.unseenSince : nil)
        }
    }
}

extension Tracker {
    func trackPositions() -> [TrackPosition] { state.trackPositions() }
}
