/// The constants of the tracker. Bounds and sample counts of estimates are beside the estimates. Times are running time,
/// so the constants fit any frame rate. An object size is the square root of a box's area. Detections are strong or
/// weak: with a score above or below the effective score threshold.
///
/// Names of published methods stand in parentheses. The heading of each section names the source of the values.
/// "Ranges" is `Tests/Benchmarks/tracking/ablation --ranges`: the range in which a constant has little effect.
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

    /// Two boxes count as separate objects if their IoU is at most this value (soft NMS).
    static let separateOverlap = 0.3
    /// Two boxes count as duplicates if their IoU exceeds this value, even if their labels differ.
    static let duplicateOverlap = 0.9
    /// The time constant of the score histogram in seconds. Scores change with light and viewing direction.
    static let scoreMemory = 60.0
    /// The threshold is raised only if the score histogram contains at least this number of detections.
    static let valleySamples: Float = 200
    /// The minimum heights of the modes of low scores and of object scores, as multiples of the valley's height.
    static let (valleyNoise, valleyObjects): (Float, Float) = (3, 4.5)
    /// The minimum mean number of low-score detections in a result. Fewer of them may come from objects with low scores.
    static let valleyCrowd: Float = 3
    /// The upper limits of the effective score threshold: a multiple of the user's threshold, and an absolute score.
    static let (valleyFactor, valleyLimit) = (1.75, 0.7)
    /// A detection with another label shows a cut object only if its IoU with the visible part exceeds this value.
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
    /// The time in nanoseconds within which the errors of two detections of one object are correlated.
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

    /// The fraction of an offset, without abrupt motion, that is added to the filtered box. 1 would cause jitter, 0 lag.
    static let reportedResidual = 1.0 / 3
    /// The time in nanoseconds in which the offset of ``reportedResidual`` fades out.
    static let residualTime = 1_000_000_000.0
    /// The minimum width and height of the reported box, relative to the latest detection.
    static let leastReportedSize = 0.25
    /// After a late result, a box glides to its new position in `glideTime` nanoseconds. If the IoU of the old and the
    /// new box is at most `glideOverlap`, the box jumps instead.
    static let (glideTime, glideOverlap) = (200_000_000.0, 0.7)
    /// A coasting track is in ``Tracker/currentTracks`` for `missTime` nanoseconds after its latest detection. If a
    /// detected object in front covers the track, for `occlusionTime` nanoseconds.
    static let (missTime, occlusionTime): (Nanoseconds, Nanoseconds) = (80_000_000, 200_000_000)
    /// The maximum number of steps in which the image motion of new tracks is measured after a late result.
    static let replaySteps = 25

    // Life cycle. Source: ranges for the evidence; others: unit tests.

    /// A frame is a key frame if the previous frame is at least this much older, in nanoseconds. While the picture is
    /// calm, the gate passes only key frames.
    static let keyFrameDistance: Nanoseconds = 900_000_000
    /// Tracks at rarely inferred positions end after this multiple of ``TrackerOptions/maxAge``.
    static let ageFactorOutsideRegions = 2
    /// A detection has full weight towards confirmation if its score is at least `fullEvidence` times the usual score of
    /// objects, plus `correlatedEvidence` right after another one, or `fullEvidenceFactor` times the score threshold.
    static let (fullEvidence, correlatedEvidence, fullEvidenceFactor) = (0.7, 0.3, 6.0)
    /// The weight of each detection in the running average of the scores of objects, which changes slowly.
    static let usualScoreShare = 0.005
    /// After this number of results that do not cover a track at sufficient magnification, such a result is a miss if
    /// the latest detection is older than ``ageFactorOutsideRegions`` times ``TrackerOptions/maxAge``.
    static let inferencesElsewhere = 10
    /// An object is detectable in a region up to this ratio of the object's last magnification to the region's.
    static let magnificationTolerance = 1.25
    /// A track ends if less than this fraction of its box is inside the picture.
    static let leastInPicture = 0.1
    /// The time constant of label votes, in seconds.
    static let labelMemory = 2.0

    // Occlusion. Source: unit tests, and `nothing.py` beside `ablation`.

    /// The content of a box is unchanged if the mean difference is below this value, in grey levels. The first value is
    /// for a whole template, the second value for an occluded half.
    static let (stillDifference, stillDifferenceOfHalf) = (6.0, 15.0)
    /// The minimum correlations of two templates of one object: of whole templates, and of halves (fewer samples).
    static let (templateCorrelation, templateCorrelationOfHalf) = (0.6, 0.75)
    /// An object has probably left its box if the content's similarity to the latest detection is below this value.
    static let unchangedSimilarity = 0.5
    /// A half-visible object may be going behind another one if last detected less than this time ago, in nanoseconds.
    static let vanishingTime: Nanoseconds = 150_000_000
    /// Moving content at the box is a possible occluder within this time after the latest detection, in nanoseconds.
    static let occluderTime: Nanoseconds = 600_000_000
    /// The minimum interval of kept pictures, in nanoseconds. In this time, a moving object visibly moves.
    static let pictureInterval: Nanoseconds = 80_000_000
    /// The number of kept pictures. The oldest is usually more than ``beforeOcclusion`` older than the last result.
    static let pictures = 4
    /// A picture is assumed to show an object without occlusion if it is older than the latest strong detection of the
    /// object by at least this time, in nanoseconds.
    static let beforeOcclusion: Nanoseconds = 200_000_000
    /// The maximum number of picture checks per result. It bounds the cost if a whole crowd is missed at once.
    static let pictureChecks = 50
    /// Another object covers much of a box if it covers more than this fraction of the box's area.
    static let coveredShare = 0.4
    /// A box has left the picture if its visible fraction is below this multiple of that at the latest detection.
    static let leastVisible = 0.95
    /// A box counts as far from its latest detection if the distance exceeds this value, in object sizes.
    static let farthestDrift = 0.2
    /// An object counts as in front of another one only if it covers less than this fraction of the other one's box.
    static let smallPart = 0.3
    /// A box is occluded only if its covered fraction has grown by more than this value since the latest detection.
    static let occluderGrowth = 0.01
}

/// A heuristic of a ``Tracker`` that `Tests/Benchmarks/tracking/ablation` switches off to measure its effect.
package enum TrackerHeuristic: UInt32, CaseIterable {
    case bimodalThreshold, softNMS, heightIoU, motionSimilarity, trackAge, confidenceCost, appearance, cameraMotion,
        secondAssociation, establishedLimit, lastPosition, scoreNoise, adaptiveJitter, adaptiveAcceleration,
        imageUncertainty, residual, sizeDamping, scoreEvidence, imageMotion, gainMargin, cameraVelocity, briefMisses
}

/// The heuristics that are on: all, except in the ablation benchmark.
package struct TrackerHeuristics: Hashable, Sendable {
    private var off: UInt32 = 0

    package mutating func remove(_ heuristic: TrackerHeuristic) { off |= 1 << heuristic.rawValue }

    @inline(__always)
    func contains(_ heuristic: TrackerHeuristic) -> Bool { off & (1 << heuristic.rawValue) == 0 }
}
