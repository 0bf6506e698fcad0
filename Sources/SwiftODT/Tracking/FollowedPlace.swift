/// Where one track is in the latest frame, shown or not, with what it takes to interpolate it to other frames.
struct FollowedPlace {
    /// Identifies the track from its first detection to its end.
    var key: Int
    /// In buffer pixels, carried to the latest frame, not clipped.
    var box: Box
    var firstSeen: Nanoseconds
    var lastSeen: Nanoseconds
    /// The detection at ``lastSeen``.
    var lastBox: Box
    /// For how long answers that would have shown it have missed it; `nil` where none has.
    var missedFor: Nanoseconds?
}

extension TrackerState {
    mutating func followedPlaces() -> [FollowedPlace] {
        settle(followingImage: true)
        return tracklets.map { tracklet in
            FollowedPlace(
                key: tracklet.key, box: tracklet.shownBox(at: settledTime), firstSeen: tracklet.firstSeen,
                lastSeen: tracklet.lastSeen, lastBox: tracklet.lastBox,
                missedFor: tracklet.misses > 0 ? settledTime - tracklet.unseenSince : nil)
        }
    }
}

extension Tracker {
    /// All tracks in the latest frame: tentative, confirmed and coasting ones.
    func followedPlaces() -> [FollowedPlace] { state.followedPlaces() }
}
