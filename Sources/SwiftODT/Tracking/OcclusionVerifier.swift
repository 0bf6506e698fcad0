/// Checks missed objects in the picture. A track is reported only while the picture supports its position, under the
/// conditions that docs/tracking.md lists.
struct OcclusionVerifier {
    /// The times of the frames are clamped by the tracker. The times in ``LumaPlane`` are not.
    private typealias Picture = (plane: LumaPlane, time: Nanoseconds)

    /// The picture of the previous result.
    private var last: Picture?
    /// Recent pictures at intervals of at least ``TrackerTuning/pictureInterval``, the latest first.
    private var pictures: [Picture] = []

    /// Checks the tracks that a result has missed. Without a `plane`, nothing is checked.
    mutating func verifyAll(
        at tracklets: inout ContiguousArray<Tracklet>, in plane: LumaPlane?, time: Nanoseconds, maxAge: Nanoseconds,
        width: Int, height: Int
    ) {
        guard let plane else { return self = OcclusionVerifier() }
        defer { last = (plane, time) }
        if pictures.first.map({ time - $0.time >= TrackerTuning.pictureInterval }) ?? true {
            pictures.insert((plane, time), at: 0)
            if pictures.count > TrackerTuning.pictures { pictures.removeLast() }
        }
        var checks = 0
        for index in tracklets.indices where tracklets[index].isConfirmed && tracklets[index].lastStrong < time {
            if let last, last.time == tracklets[index].lastStrong {
                let earlier = earlierPicture(at: tracklets[index])
                tracklets[index].occlusion.remember(from: last.plane, earlier: earlier)
            }
            guard tracklets[index].misses > 0, !tracklets[index].occlusion.isAbsent,
                checks < TrackerTuning.pictureChecks
            else { continue }
            let box = tracklets[index].filter.box
            let covering = tracklets.indices.filter {
                tracklets[$0].misses == 0
                    && tracklets[$0].filter.box.intersection(box).area > TrackerTuning.coveredShare * box.area
            }
            if !tracklets[index].occlusion.isUnreliable {
                let isInFront =
                    !covering.isEmpty && covering.allSatisfy { tracklets[index].wasInFront(of: tracklets[$0]) }
                let isExpected = isInFront || tracklets[index].isUncertain(at: time, maximumAge: maxAge)
                checks += isExpected ? 1 : 0
                tracklets[index].occlusion.isUnreliable =
                    tracklets[index].hasLeftPicture(width: width, height: height)
                    || isExpected && !tracklets[index].occlusion.isVisible(at: box, in: plane)
            }
            guard covering.isEmpty else { continue }
            checks += 1
            let place = tracklets[index].occlusion.verify(
                at: box, in: plane, before: pictures.count > 1 ? pictures[1].plane : nil,
                unseen: time - tracklets[index].lastSeen)
            guard let place else { continue }
            // The object stands there.
            let filter = tracklets[index].filter
            tracklets[index].filter.shift(
                place.vector.lowHalf - filter.position.lowHalf, faster: -filter.velocity.lowHalf)
            tracklets[index].lead = .zero
        }
    }

    /// Returns a picture from before the latest detection above the score threshold, and the object's box in it.
    private func earlierPicture(at tracklet: Tracklet) -> (plane: LumaPlane, box: Box)? {
        guard let picture = pictures.first(where: { tracklet.lastStrong - $0.time >= TrackerTuning.beforeOcclusion })
        else { return nil }
        let sighting = tracklet.sightings.latest(upTo: picture.time)
        return sighting.time == picture.time ? (picture.plane, sighting.box) : nil
    }
}
