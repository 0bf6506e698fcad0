/// The position of one track in the latest frame, reported or not, with the data for interpolating it to other
/// frames.
struct FollowedPlace {
    /// Identifies the track from its first detection to its end.
    var key: Int
    /// In buffer pixels, propagated to the latest frame, not clipped.
    var box: Box
    var firstSeen: Nanoseconds
    var lastSeen: Nanoseconds
    /// The detection at ``lastSeen``.
    var lastBox: Box
    /// The time for which the track has been missed; `nil` if the latest result that covered it detected it.
    var missedFor: Nanoseconds?
}

extension TrackerState {
    /// Returns the positions of all tracks in the latest frame.
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
    /// Returns the positions of all tracks in the latest frame: tentative, confirmed and coasting ones.
    func followedPlaces() -> [FollowedPlace] { state.followedPlaces() }
}
