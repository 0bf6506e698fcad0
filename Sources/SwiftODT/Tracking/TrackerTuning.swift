/// The constants of the tracker. Times are running time, so that the constants fit any frame rate. An object size is the
/// square root of a box's area. Constants of a published method name it. The others were chosen on the sequences that
/// `Tests/Benchmarks/tracking/ablation` uses, with tests of the behaviour they serve.
enum TrackerTuning {
    // Association. Overlaps are IoU of expanded boxes.

    /// The distance by which each side of a box is moved outwards, as a fraction of the box's width or height (C-BIoU).
    static let candidateMargin = 0.3
    /// The same for the overlap in the gain of the first two stages.
    static let gainMargin = 0.1
    /// The minimum overlap of a candidate pair. No stage uses a lower one.
    static let candidateOverlap = 0.2
    /// The minimum overlap in the first stage: confirmed tracks and strong detections.
    static let strongOverlap = 0.2
    /// The minimum overlap in the second stage: weak detections (second association, ByteTrack).
    static let weakOverlap = 0.6
    /// The minimum overlap in the third stage: last detected positions (observation-centric recovery, OC-SORT).
    static let lastPositionOverlap = 0.4
    /// The minimum overlap in the fourth stage: tentative tracks.
    static let tentativeOverlap = 0.2
    /// The factor on the overlap if the labels of track and detection differ. A detector may change its label for an
    /// object. More often, an overlapping detection with another label is a different object.
    static let otherLabelFactor = 0.32
    /// The weight of the Mahalanobis similarity, on the scale of IoU.
    static let motionWeight = 0.3
    /// The noise that the Mahalanobis similarity adds to the filter's uncertainty, in object sizes.
    static let similarityNoise = 0.05
    /// The greatest gain from a track's age, on the scale of IoU.
    static let trackAgeWeight = 0.3
    /// The age at which half of ``trackAgeWeight`` is reached, in seconds.
    static let halfTrackAge = 0.5
    /// The weight of the difference between a detection's score and the track's average score (confidence cost,
    /// Hybrid-SORT), on the scale of IoU.
    static let confidenceWeight = 0.6
    /// The time constant of a track's average score, in seconds.
    static let confidenceMemory = 0.1
    /// The factor from the difference between the mean similarities of the same object and of different objects,
    /// relative to their variance, to the weight of appearance. The second value is the maximum weight on the scale of
    /// IoU.
    static let (appearanceGain, appearanceLimit) = (0.3, 6.0)
    /// The time constant of a track's appearance, in seconds.
    static let appearanceMemory = 1.3

    // Detections.

    /// The IoU up to which two boxes count as separate objects (soft NMS).
    static let separateOverlap = 0.3
    /// The minimum IoU of two boxes that count as duplicates even if their labels differ.
    static let duplicateOverlap = 0.9
    /// The time constant of the histogram of scores, in seconds. Light and viewing direction change.
    static let scoreMemory = 60.0
    /// The minimum number of detections in the histogram.
    static let valleySamples: Float = 200
    /// The minimum counts at the modes of low scores and of objects, relative to the valley.
    static let (valleyNoise, valleyObjects): (Float, Float) = (3, 4.5)
    /// The minimum mean number of low-score detections per result. Fewer may be a few weak objects.
    static let valleyCrowd: Float = 3
    /// The upper limit of the effective threshold, relative to the user's threshold and as a score.
    static let (valleyFactor, valleyLimit) = (1.5, 0.6)
    /// The minimum IoU between the visible part of an object at a region's edge and a fragment with another label.
    static let fragmentOverlap = 0.5

    // Kalman filters.

    /// The initial standard deviation of the velocity, in object sizes per second.
    static let firstVelocity = 2.0
    /// The time constant of the decay of the velocities of width and height, in seconds. Without it, the box of an object
    /// that walks behind another one would shrink further and further.
    static let sizeDamping = 0.7
    /// The initial measurement noise in object sizes, and process noise in object sizes per second and square root of a
    /// second. ``MotionStatistics`` estimates both.
    static let (firstJitter, firstAcceleration) = (0.04, 0.7)
    /// The factor on the measured jitter, because the errors of consecutive boxes are correlated.
    static let jitterCorrelation = 1.75
    /// The interval over which accelerations are measured: a change of velocity then exceeds the jitter.
    static let accelerationSpan: Nanoseconds = 330_000_000
    /// The correlation time of the errors of boxes with low scores.
    static let errorCorrelation: Nanoseconds = 150_000_000
    /// The correlation is complete for scores of at most `1 - 1 / errorSteepness`.
    static let errorSteepness = 4.0

    // Image motion.

    /// The maximum number of points to track per frame, which bounds the cost.
    static let flowPoints = 240
    /// The time constant with which velocities adapt to a camera that pans, in seconds.
    static let cameraMemory = 0.3
    /// The least and the greatest velocity variance of image motion, in squared object sizes per squared second. The
    /// least one applies to the association only.
    static let (usualImageError, greatestImageError) = (0.25, SIMD4<Double>(repeating: 100))
    /// The weight of the latest error in the running average of the errors of image motion.
    static let imageErrorShare = 0.4

    // Reported boxes.

    /// The fraction of the difference between detected and filtered box that is reported. 1 would show the detector's
    /// jitter, 0 would make the box lag.
    static let reportedResidual = 1.0 / 3
    /// The time in which that difference fades out, in nanoseconds.
    static let residualTime = 1_000_000_000.0
    /// The minimum size of the reported box, relative to the latest detection.
    static let leastReportedSize = 0.25
    /// The time of the smooth transition after a late result in nanoseconds, and the minimum IoU for it.
    static let (glideTime, glideOverlap) = (200_000_000.0, 0.7)
    /// The maximum number of steps in which the image motion of new tracks is measured after a late result.
    static let replaySteps = 25

    // Life cycle.

    /// A multiple of ``TrackerOptions/maxAge`` for tracks whose position is rarely inferred. Once the latest detection is
    /// older, results that do not cover the track at sufficient magnification also count as misses.
    static let ageFactorOutsideRegions = 2
    /// The score from which a detection has full weight towards the confirmation of a track: the lower of this score
    /// and this multiple of the score threshold. With a low threshold, detections with low scores thus still confirm
    /// tracks.
    static let (fullEvidence, fullEvidenceFactor) = (0.6, 6.0)
    /// The minimum number of results without sufficient coverage before every result counts as a miss. A long time with
    /// few inferences is no evidence of absence.
    static let inferencesElsewhere = 10
    /// An object counts as detectable in a region if it was last detected at up to this multiple of the region's
    /// magnification.
    static let magnificationTolerance = 1.25
    /// A track ends if less than this fraction of its box is inside the picture.
    static let leastInPicture = 0.1
    /// The time constant of label votes, in seconds.
    static let labelMemory = 2.0

    // Occlusion.

    /// The maximum mean difference of static content in grey levels, and of an occluded half. The occluder may have
    /// covered more of the half in the meantime.
    static let (stillDifference, stillDifferenceOfHalf) = (6.0, 15.0)
    /// The minimum correlation of pictures of the same object, for the whole template and for a half, which has fewer
    /// samples.
    static let (templateCorrelation, templateCorrelationOfHalf) = (0.6, 0.75)
    /// The minimum similarity of the content of a box that still shows its object.
    static let unchangedSimilarity = 0.5
    /// The maximum time from the latest detection to the moment when the object disappears behind an occluder.
    static let vanishingTime: Nanoseconds = 150_000_000
    /// The maximum time for which moving content at the predicted box counts as a possible occluder.
    static let occluderTime: Nanoseconds = 600_000_000
    /// The minimum interval between two pictures, long enough for a moving object to change its position visibly.
    static let pictureInterval: Nanoseconds = 80_000_000
    /// The number of pictures to keep. It suffices to reach back by ``beforeOcclusion`` from the previous result.
    static let pictures = 4
    /// The minimum age of the earlier picture. At that time, a walking object was not yet occluded.
    static let beforeOcclusion: Nanoseconds = 200_000_000
    /// The maximum number of checks per result. It bounds the cost if a whole crowd is missed at once.
    static let pictureChecks = 50
    /// The minimum fraction of a box that another object covers.
    static let coveredShare = 0.4
    /// The box has left the picture if its visible fraction falls below this fraction of the earlier one.
    static let leastVisible = 0.95
    /// The minimum distance from the latest detection at which a box counts as moved far, in object sizes.
    static let farthestDrift = 0.2
    /// The maximum fraction of a large object that a small object in front covers.
    static let smallPart = 0.3
    /// An occluder covers more and more of an object. This is the minimum growth of the covered fraction.
    static let occluderGrowth = 0.01
}

/// The heuristics of a ``Tracker`` that `Tests/Benchmarks/tracking/ablation` switches off, one at a time, to measure
/// what each is worth. Products leave all of them on.
package struct TrackerHeuristics: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let bimodalThreshold = Self(rawValue: 1 << 0)
    package static let softNMS = Self(rawValue: 1 << 1)
    package static let heightIoU = Self(rawValue: 1 << 4)
    package static let motionSimilarity = Self(rawValue: 1 << 5)
    package static let trackAge = Self(rawValue: 1 << 6)
    package static let confidenceCost = Self(rawValue: 1 << 8)
    package static let appearance = Self(rawValue: 1 << 9)
    package static let cameraMotion = Self(rawValue: 1 << 10)
    package static let secondAssociation = Self(rawValue: 1 << 11)
    package static let establishedLimit = Self(rawValue: 1 << 12)
    package static let lastPosition = Self(rawValue: 1 << 14)
    package static let scoreNoise = Self(rawValue: 1 << 16)
    package static let adaptiveJitter = Self(rawValue: 1 << 17)
    package static let adaptiveAcceleration = Self(rawValue: 1 << 18)
    package static let imageUncertainty = Self(rawValue: 1 << 19)
    package static let residual = Self(rawValue: 1 << 21)
    package static let sizeDamping = Self(rawValue: 1 << 22)
    package static let scoreEvidence = Self(rawValue: 1 << 20)
    package static let imageMotion = Self(rawValue: 1 << 25)
    package static let gainMargin = Self(rawValue: 1 << 26)
    package static let cameraVelocity = Self(rawValue: 1 << 27)

    package static let all = Self(rawValue: .max)

    package static let names: [(name: String, heuristic: Self)] = [
        ("bimodalThreshold", .bimodalThreshold), ("softNMS", .softNMS), ("heightIoU", .heightIoU),
        ("motionSimilarity", .motionSimilarity), ("trackAge", .trackAge), ("confidenceCost", .confidenceCost),
        ("appearance", .appearance), ("cameraMotion", .cameraMotion), ("secondAssociation", .secondAssociation),
        ("establishedLimit", .establishedLimit), ("lastPosition", .lastPosition), ("scoreNoise", .scoreNoise),
        ("adaptiveJitter", .adaptiveJitter), ("adaptiveAcceleration", .adaptiveAcceleration),
        ("imageUncertainty", .imageUncertainty), ("residual", .residual), ("sizeDamping", .sizeDamping),
        ("scoreEvidence", .scoreEvidence), ("imageMotion", .imageMotion), ("gainMargin", .gainMargin),
        ("cameraVelocity", .cameraVelocity),
    ]
}
