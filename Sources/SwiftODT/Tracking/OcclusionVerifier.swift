/// Checks missed objects in the picture. A track is reported only while the picture supports its position.
///
/// A missed object counts as present if a detected object occludes it, if the picture still shows it, or if it was
/// observed going behind an occluder. It counts as absent if its predicted box shows static content, which is the
/// background. Moving content may be an occluder, but only for a limited time. With a panning camera no content is
/// static, and only the time limit applies.
///
/// A track is also not reported while its box is unreliable. A box is unreliable in three cases: it has left the
/// picture; the picture does not show the object there although it should be visible; or the picture does not show the
/// object there and the position is uncertain.
struct OcclusionVerifier {
    /// The times of the frames are clamped by the tracker. The times in ``LumaPlane`` are not.
    private typealias Picture = (plane: LumaPlane, time: Nanoseconds)

    /// The picture of the previous result.
    private var last: Picture?
    /// The pictures of recent results at intervals of at least ``TrackerTuning/pictureInterval``, the latest first.
    private var pictures: [Picture] = []

    /// Checks the tracks that a result has missed. Without a `plane`, nothing is checked.
    mutating func verifyAll(
        at tracklets: inout ContiguousArray<Tracklet>, in plane: LumaPlane?, time: Nanoseconds, maxAge: Nanoseconds,
        width: Int, height: Int
    ) {
        guard let plane else { return forget() }
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
            else {
                continue
            }
            let (box, cover) = (tracklets[index].filter.box, cover(of: index, tracklets))
            if !tracklets[index].occlusion.isUnreliable {
                let isExpected = cover == .background || tracklets[index].isUncertain(at: time, maximumAge: maxAge)
                checks += isExpected ? 1 : 0
                tracklets[index].occlusion.isUnreliable =
                    tracklets[index].hasLeftPicture(width: width, height: height)
                    || isExpected && !tracklets[index].occlusion.isVisible(at: box, in: plane)
            }
            guard cover == .none else { continue }
            checks += 1
            let place = tracklets[index].occlusion.verify(
                at: box, in: plane,
                before: pictures.count > 1 ? pictures[1].plane : nil,
                unseen: time - tracklets[index].lastSeen)
            if let place { tracklets[index].stop(at: place) }
        }
    }

    mutating func forget() { (last, pictures) = (nil, []) }

    /// Returns a picture from before the latest detection above the score threshold, and the object's box in that
    /// picture. `nil` if no suitable picture exists.
    private func earlierPicture(at tracklet: Tracklet) -> (plane: LumaPlane, box: Box)? {
        guard let picture = pictures.first(where: { tracklet.lastStrong - $0.time >= TrackerTuning.beforeOcclusion })
        else {
            return nil
        }
        let sighting = tracklet.sightings[tracklet.sightings.before(picture.time)]
        return sighting.time == picture.time ? (picture.plane, sighting.box) : nil
    }

    /// Whether other detected objects cover much of an object's box, and whether they may be in front of the object.
    private enum Cover {
        case none
        /// At least one covering object may be in front of the object.
        case occluder
        /// The object was in front of each covering object.
        case background
    }

    private func cover(of index: Int, _ tracklets: ContiguousArray<Tracklet>) -> Cover {
        let box = tracklets[index].filter.box
        var cover = Cover.none
        for other in tracklets.indices
        where tracklets[other].misses == 0
            && tracklets[other].filter.box.intersection(box).area > TrackerTuning.coveredShare * box.area
        {
            guard tracklets[index].wasInFront(of: tracklets[other]) else { return .occluder }
            cover = .background
        }
        return cover
    }
}
