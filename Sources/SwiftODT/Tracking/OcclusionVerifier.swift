/// Looks at the places of objects that the detector has missed: a box stays only while the picture supports it.
///
/// An object is believed in where something that is seen stands before it, where the picture still shows it, and where it was
/// seen to go behind something. It is gone where its place shows something else that stands still: the background. What moves there
/// may be hiding it, and is given a while. Before a camera that pans nothing stands still, and that while decides alone.
///
/// Apart from that, a track is not reported once its box is unreliable: where it has left the picture, and where the picture does not show
/// an object that should be visible, or whose place is uncertain.
struct OcclusionVerifier {
    /// The pictures of earlier answers, the latest first, each far enough from the next for things that move to have moved.
    private var pictures: [Picture] = []

    private struct Picture {
        let plane: LumaPlane
        /// When it was seen; what a plane says of its time has not been checked.
        let time: Nanoseconds
    }

    /// After an answer: looks after those it has missed.
    ///
    /// - Parameters:
    ///   - plane: the picture that the answer is about; without one nothing is said.
    ///   - last: that of the answer before.
    mutating func verifyAll(
        at tracklets: inout ContiguousArray<Tracklet>, in plane: LumaPlane?,
        after last: (plane: LumaPlane, time: Nanoseconds)?,
        time: Nanoseconds, maxAge: Nanoseconds, width: Int, height: Int
    ) {
        guard let plane else { return forget() }
        if pictures.first.map({ time - $0.time >= Self.step }) ?? true {
            pictures.insert(Picture(plane: plane, time: time), at: 0)
            if pictures.count > Self.kept { pictures.removeLast() }
        }
        var checks = 0
        for index in tracklets.indices where tracklets[index].isShown && tracklets[index].lastStrong < time {
            if let last, last.time == tracklets[index].lastStrong {
                let earlier = earlierPicture(at: tracklets[index])
                tracklets[index].occlusion.remember(from: last.plane, earlier: earlier)
            }
            guard tracklets[index].misses > 0, !tracklets[index].occlusion.isAbsent, checks < Self.maximum else { continue }
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

    mutating func forget() { pictures = [] }

    /// A picture from a while before the detector was last sure of it, and where it was seen in that.
    private func earlierPicture(at tracklet: Tracklet) -> (plane: LumaPlane, box: Box)? {
        guard let picture = pictures.first(where: { tracklet.lastStrong - $0.time >= Self.beforeOcclusion }) else {
            return nil
        }
        let sighting = tracklet.sightings[tracklet.sightings.before(picture.time, near: 0)]
        return sighting.time == picture.time ? (picture.plane, sighting.box) : nil
    }

    /// What the visible objects are that cover much of a box.
    private enum Cover {
        case none
        /// One of them may hide what is in the box.
        case occluder
        /// The object was seen in front of each of them.
        case background
    }

    private func cover(of index: Int, _ tracklets: ContiguousArray<Tracklet>) -> Cover {
        let box = tracklets[index].filter.box
        var cover = Cover.none
        for other in tracklets.indices
        where tracklets[other].misses == 0 && tracklets[other].filter.box.intersection(box).area > 0.4 * box.area {
            guard tracklets[index].wasInFront(of: tracklets[other]) else { return .occluder }
            cover = .background
        }
        return cover
    }

    /// From picture to picture at least.
    private static let step: Nanoseconds = 80_000_000
    /// So many reach back by more than ``beforeOcclusion`` from the answer before this, whatever the rate.
    private static let kept = 4
    /// So long before, what the detector loses behind something was to be seen whole, if it walks.
    private static let beforeOcclusion: Nanoseconds = 200_000_000
    /// So many are looked after at most, so that a crowd that vanishes at once costs little.
    private static let maximum = 50
}
