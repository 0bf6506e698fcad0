/// What was known of the objects in a frame once it was finished: of all that are being followed, told of or not, but those whose place shows
/// that they are gone. These explain nothing of what moves there, and are worth no look.
///
/// A value, for those who decide where to look next.
public struct TrackerSnapshot: Sendable {
    /// One object.
    public struct ObjectState: Sendable {
        /// In buffer pixels, carried to the frame, not clipped.
        public var box: Box
        /// The same in the frame that the latest answer was about, as far as it was known there: live, answers are late.
        public var detectedBox: Box
        /// Whether it has been seen often enough to be told of.
        public var isConfirmed: Bool
        /// How many answers have missed it since it was last seen.
        public var misses: Int
        /// When it was seen last.
        public var lastSeen: Nanoseconds
        /// How near the picture has to be looked at for it to be seen, as far as that is known; 1 is the whole picture.
        public var observedMagnification: Double
        /// How well its box was carried to where it was seen last.
        public var carried: PropagationQuality
        /// How much of what was to be seen in its box when it was seen last is to be seen in it now, 0 to 1; 1 for who is missed.
        public var similarity: Double

        public init(
            box: Box, isConfirmed: Bool = true, misses: Int = 0, lastSeen: Nanoseconds = 0,
            observedMagnification: Double = 1, carried: PropagationQuality = PropagationQuality(), similarity: Double = 1, detectedBox: Box? = nil
        ) {
            self.detectedBox = detectedBox ?? box
            (self.box, self.isConfirmed, self.misses, self.lastSeen) = (box, isConfirmed, misses, lastSeen)
            (self.observedMagnification, self.carried, self.similarity) = (observedMagnification, carried, similarity)
        }

        /// Whether its box has been carried on over something else, as far as anybody knows: what was seen in it has most likely gone out
        /// of it. Things that turn, and people who walk, stay more alike than that.
        public var isAppearanceChanged: Bool { similarity < Self.minimumSimilarity }

        private static let minimumSimilarity = 0.5
    }

    /// How well a box was carried from one sighting to the next.
    public struct PropagationQuality: Sendable {
        /// From the one to the other.
        public var span: Nanoseconds
        /// What is missing of the overlap (IoU) with where the object was found: 0 for nothing, 1 for all.
        public var error: Double

        public init(over span: Nanoseconds = 0, error: Double = 0) { (self.span, self.error) = (span, error) }
    }

    /// The running time of the frame that the latest answer was about; `nil` where nothing has been answered in this scene.
    public var answered: Nanoseconds?
    /// That of the frame that this scene has begun with; `nil` before the first cut.
    public var lastCut: Nanoseconds?
    public var places: [ObjectState]

    public init(answered: Nanoseconds? = nil, lastCut: Nanoseconds? = nil, places: [ObjectState]) {
        (self.answered, self.lastCut, self.places) = (answered, lastCut, places)
    }
}

extension TrackerState {
    /// Of the latest frame; `nil` before the first.
    mutating func snapshot() -> TrackerSnapshot? {
        guard now != nil else { return nil }
        settle(followingImage: true)
        takeImpressions()
        let plane = history.latestPlane
        let there = tracklets.indices.filter { !tracklets[$0].occlusion.isAbsent }
        return TrackerSnapshot(
            answered: lastAnswer, lastCut: lastCut,
            places: there.map {
                tracklets[$0].place(
                    at: settledTime, in: plane, detectedBox: lastAnswer == settledTime ? nil : detectedBox(of: $0))
            })
    }

    /// Where it was in the frame of the latest answer: the oldest one that is kept.
    private func detectedBox(of index: Int) -> Box? {
        guard !history.isEmpty, history.time(0) == lastAnswer else { return nil }
        return history[0].carried(tracklets[index].key).map { Box($0.filter.position + $0.lead) }
    }

    /// Remembers what those seen in the latest answer looked like, in the picture that it was about: the oldest one that is kept.
    private mutating func takeImpressions() {
        guard let lastAnswer, !history.isEmpty, history.time(0) == lastAnswer, let plane = history[0].plane else {
            return
        }
        for index in tracklets.indices where tracklets[index].lastSeen == lastAnswer && !tracklets[index].hasImpression
        {
            // Of the latest frame nothing has been noted yet.
            let box =
                lastAnswer == settledTime ? tracklets[index].shownBox(at: settledTime) : detectedBox(of: index)
            if let box { tracklets[index].takeImpression(of: box, in: plane) }
        }
    }
}

extension Tracklet {
    fileprivate func place(at time: Nanoseconds, in plane: LumaPlane?, detectedBox: Box?) -> TrackerSnapshot.ObjectState {
        TrackerSnapshot.ObjectState(
            box: shownBox(at: time), isConfirmed: isShown, misses: misses, lastSeen: lastSeen, observedMagnification: observedMagnification,
            carried: carried, similarity: similarity(at: time, in: plane), detectedBox: detectedBox)
    }
}
