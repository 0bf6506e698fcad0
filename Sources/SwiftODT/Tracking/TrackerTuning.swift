/// The constants of the tracker. Times are running time, so the constants fit any frame rate. An object size is the
/// square root of a box's area. Detections are strong or weak: with a score above or below the score threshold.
///
/// Names of published methods stand in parentheses. The heading of each section names the source of the values.
/// "Ranges" is `Tests/Benchmarks/tracking/ablation --ranges`, which measures the range in which a constant has little
/// effect.
enum TrackerTuning {
    // Association. Overlaps are IoU of expanded boxes. Source: ranges; labels and appearance: unit tests.

    /// The outward shift of each side of a box, relative to the box's width or height (C-BIoU).
    static let candidateMargin = 0.3
    /// Like ``candidateMargin``, but for the overlap in the gain of the first two association stages.
    static let gainMargin = 0.1
    /// The minimum overlap of a track and a detection in the first and the fourth stage.
    static let candidateOverlap = 0.2
    /// The minimum overlap in the second stage: weak detections (second association, ByteTrack).
    static let weakOverlap = 0.6
    /// The minimum overlap in the third stage: last detected positions (observation-centric recovery, OC-SORT).
    static let lastPositionOverlap = 0.4
    /// The factor on the overlap if the labels differ, because such boxes usually show different objects.
    static let otherLabelFactor = 0.32
    /// The weight of the Mahalanobis similarity in the gain, on the scale of IoU.
    static let motionWeight = 0.3
    /// The noise that the Mahalanobis similarity adds to the filter's uncertainty, in object sizes.
    static let similarityNoise = 0.05
    /// The greatest gain from a track's age, on the scale of IoU.
    static let trackAgeWeight = 0.3
    /// The track age in seconds at which the gain from the age is half of ``trackAgeWeight``.
    static let halfTrackAge = 0.5
    /// The weight of a score's difference to the track's average (confidence cost, Hybrid-SORT), on the scale of IoU.
    static let confidenceWeight = 0.6
    /// The time constant of a track's average score, in seconds.
    static let confidenceMemory = 0.1
    /// The factor and the maximum of ``DetectionAppearances/weight``, on the scale of IoU.
    static let (appearanceGain, appearanceLimit) = (0.3, 6.0)
    /// The time constant of a track's appearance, in seconds.
    static let appearanceMemory = 1.3

    // Detections. Source: ranges; regions: unit tests.

    /// The IoU up to which two boxes count as separate objects (soft NMS).
    static let separateOverlap = 0.3
    /// The minimum IoU of two boxes that count as duplicates even if their labels differ.
    static let duplicateOverlap = 0.9
    /// The time constant of the score histogram in seconds. Scores change with light and viewing direction.
    static let scoreMemory = 60.0
    /// The minimum number of detections in the score histogram for a bimodal threshold.
    static let valleySamples: Float = 200
    /// The minimum heights of the modes of low scores and of object scores, as multiples of the valley's height.
    static let (valleyNoise, valleyObjects): (Float, Float) = (3, 4.5)
    /// The minimum mean number of low-score detections per result. Fewer may come from objects with low scores.
    static let valleyCrowd: Float = 3
    /// The upper limits of the effective score threshold: a multiple of the user's threshold, and an absolute score.
    static let (valleyFactor, valleyLimit) = (1.5, 0.6)
    /// The minimum IoU of a detection and the visible part of a cut object with another label that is the same object.
    static let fragmentOverlap = 0.5

    // Kalman filters. Source: ranges.

    /// The initial standard deviation of the velocity, in object sizes per second.
    static let firstVelocity = 2.0
    /// The time constant of the velocities of width and height, in seconds. An occluded box thus stops shrinking.
    static let sizeDamping = 0.7
    /// The initial measurement noise in object sizes, and the initial process noise in object sizes per second and per
    /// square root of a second. ``MotionStatistics`` estimates both from the stream.
    static let (firstJitter, firstAcceleration) = (0.04, 0.7)
    /// The measurement noise relative to the measured jitter. It exceeds 1, because errors of boxes are correlated.
    static let jitterCorrelation = 1.75
    /// The interval of acceleration samples in nanoseconds. In this time a change of velocity exceeds the jitter.
    static let accelerationSpan: Nanoseconds = 330_000_000
    /// The time in nanoseconds within which the errors of two low-score boxes of one object are correlated.
    static let errorCorrelation: Nanoseconds = 150_000_000
    /// The correlation of box errors is complete for scores up to `1 - 1 / errorSteepness`, and 0 for a score of 1.
    static let errorSteepness = 4.0
    /// The time constant with which velocities adapt to a camera that pans, in seconds.
    static let cameraMemory = 0.3

    // Image motion. Source: `ablation` on the sequence with pictures, and unit tests.

    /// The maximum number of image points to track per frame.
    static let flowPoints = 240
    /// The bounds of the velocity variance of image motion, in squared object sizes per squared second. The lower bound
    /// applies only to the association.
    static let (usualImageError, greatestImageError) = (0.25, SIMD4<Double>(repeating: 100))
    /// The weight of the latest error in the running average of the errors of image motion.
    static let imageErrorShare = 0.4

    // Reported boxes. Source: ranges for the residual; others: unit tests.

    /// The part of a detection's offset from the filtered box that is reported: 1 would jitter, 0 would lag.
    static let reportedResidual = 1.0 / 3
    /// The time in nanoseconds in which the offset of ``reportedResidual`` fades out.
    static let residualTime = 1_000_000_000.0
    /// The minimum width and height of the reported box, relative to the latest detection.
    static let leastReportedSize = 0.25
    /// The time in nanoseconds in which a box glides to its position after a late result, and the IoU up to which it
    /// jumps instead.
    static let (glideTime, glideOverlap) = (200_000_000.0, 0.7)
    /// The maximum number of steps in which the image motion of new tracks is measured after a late result.
    static let replaySteps = 25

    // Life cycle. Source: ranges for the evidence; others: unit tests.

    /// The minimum interval of key frames in nanoseconds. The gate passes only key frames while the picture is calm.
    static let keyFrameDistance: Nanoseconds = 900_000_000
    /// Tracks at rarely inferred positions end after this multiple of ``TrackerOptions/maxAge``.
    static let ageFactorOutsideRegions = 2
    /// The score of a detection with full weight towards confirmation: the lower of an absolute score and a multiple of
    /// the score threshold.
    static let (fullEvidence, fullEvidenceFactor) = (0.6, 6.0)
    /// A result that does not cover a track at sufficient magnification counts as a miss only after
    /// ``ageFactorOutsideRegions`` times ``TrackerOptions/maxAge``, and after this number of such results.
    static let inferencesElsewhere = 10
    /// The maximum ratio of an object's last magnification to a region's, at which the object counts as detectable.
    static let magnificationTolerance = 1.25
    /// A track ends if less than this fraction of its box is inside the picture.
    static let leastInPicture = 0.1
    /// The time constant of label votes, in seconds.
    static let labelMemory = 2.0

    // Occlusion. Source: unit tests, and `nothing.py` and `coasting.py` beside `ablation`.

    /// The maximum mean difference in grey levels of unchanged content: of a whole template, and of an occluded half.
    static let (stillDifference, stillDifferenceOfHalf) = (6.0, 15.0)
    /// The minimum correlation of pictures of the same object: of a whole template, and of a half (fewer samples).
    static let (templateCorrelation, templateCorrelationOfHalf) = (0.6, 0.75)
    /// The similarity of a box's content to the latest detection below which the object has probably left the box.
    static let unchangedSimilarity = 0.5
    /// The maximum time in nanoseconds without a detection at which a half-visible object may be going behind another.
    static let vanishingTime: Nanoseconds = 150_000_000
    /// The maximum time in nanoseconds for which moving content at the predicted box counts as a possible occluder.
    static let occluderTime: Nanoseconds = 600_000_000
    /// The minimum interval of kept pictures in nanoseconds, in which a moving object visibly changes its position.
    static let pictureInterval: Nanoseconds = 80_000_000
    /// The number of kept pictures. The oldest is usually more than ``beforeOcclusion`` older than the last result.
    static let pictures = 4
    /// The minimum time in nanoseconds from a picture without occlusion to the latest strong detection of the object.
    static let beforeOcclusion: Nanoseconds = 200_000_000
    /// The maximum number of picture checks per result. It bounds the cost if a whole crowd is missed at once.
    static let pictureChecks = 50
    /// Another object covers much of a box if it covers more than this fraction of the box's area.
    static let coveredShare = 0.4
    /// A box has left the picture if its visible fraction is below this multiple of the one at the latest detection.
    static let leastVisible = 0.95
    /// The minimum distance from the latest detection at which a box counts as moved far, in object sizes.
    static let farthestDrift = 0.2
    /// The maximum fraction of another object's box that an object in front of it covers.
    static let smallPart = 0.3
    /// The minimum growth of the covered fraction of a box since its latest detection, if the cover is an occluder.
    static let occluderGrowth = 0.01
}

/// A heuristic of a ``Tracker`` that `Tests/Benchmarks/tracking/ablation` switches off to measure its effect.
package enum TrackerHeuristic: UInt32, CaseIterable {
    case bimodalThreshold, softNMS, heightIoU, motionSimilarity, trackAge, confidenceCost, appearance, cameraMotion,
        secondAssociation, establishedLimit, lastPosition, scoreNoise, adaptiveJitter, adaptiveAcceleration,
        imageUncertainty, residual, sizeDamping, scoreEvidence, imageMotion, gainMargin, cameraVelocity
}

/// The heuristics that are on: all, except in the ablation benchmark.
package struct TrackerHeuristics: Hashable, Sendable {
    private var off: UInt32 = 0

    package mutating func remove(_ heuristic: TrackerHeuristic) { off |= 1 << heuristic.rawValue }

    @inline(__always)
    func contains(_ heuristic: TrackerHeuristic) -> Bool { off & (1 << heuristic.rawValue) == 0 }
}
