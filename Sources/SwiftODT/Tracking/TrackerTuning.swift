/// The constants of the tracker. Times are running time, so the constants fit any frame rate. An object size is the
/// square root of a box's area. Detections are strong or weak: with a score above or below the score threshold.
///
/// If a constant belongs to a published method, its comment names the method. The heading of each section names the
/// source of the values. "Ranges" means the command `Tests/Benchmarks/tracking/ablation --ranges`, which measures the
/// range in which a constant has little effect.
enum TrackerTuning {
    // Association. Overlaps are IoU of expanded boxes. Source: ranges; labels and appearance: unit tests.

    /// The distance by which each side of a box is moved outwards, as a fraction of the box's width or height (C-BIoU).
    static let candidateMargin = 0.3
    /// Like ``candidateMargin``, but for the overlap in the gain of the first two association stages.
    static let gainMargin = 0.1
    /// The minimum overlap of a track and a detection in the first and the fourth stage.
    static let candidateOverlap = 0.2
    /// The minimum overlap in the second stage: weak detections (second association, ByteTrack).
    static let weakOverlap = 0.6
    /// The minimum overlap in the third stage: last detected positions (observation-centric recovery, OC-SORT).
    static let lastPositionOverlap = 0.4
    /// The factor on the overlap if the labels of track and detection differ. A detector may change its label for an
    /// object. More often, an overlapping detection with another label is a different object.
    static let otherLabelFactor = 0.32
    /// The weight of the Mahalanobis similarity in the gain, on the scale of IoU.
    static let motionWeight = 0.3
    /// The noise that the Mahalanobis similarity adds to the filter's uncertainty, in object sizes.
    static let similarityNoise = 0.05
    /// The greatest gain from a track's age, on the scale of IoU.
    static let trackAgeWeight = 0.3
    /// The track age in seconds at which the gain from the age is half of ``trackAgeWeight``.
    static let halfTrackAge = 0.5
    /// The weight of the difference between a detection's score and the track's average score (confidence cost,
    /// Hybrid-SORT), on the scale of IoU.
    static let confidenceWeight = 0.6
    /// The time constant of a track's average score, in seconds.
    static let confidenceMemory = 0.1
    /// The weight of appearance in the gain, on the scale of IoU, is `appearanceGain * (same - other) / variance`, at
    /// most `appearanceLimit`. `same` is the mean similarity of pairs of the same object, `other` the mean similarity
    /// of pairs of different objects, and `variance` the variance of the similarities.
    static let (appearanceGain, appearanceLimit) = (0.3, 6.0)
    /// The time constant of a track's appearance, in seconds.
    static let appearanceMemory = 1.3

    // Detections. Source: ranges; regions: unit tests.

    /// The IoU up to which two boxes count as separate objects (soft NMS).
    static let separateOverlap = 0.3
    /// The minimum IoU of two boxes that count as duplicates even if their labels differ.
    static let duplicateOverlap = 0.9
    /// The time constant of the decay of the score histogram, in seconds. Scores change with light and viewing
    /// direction.
    static let scoreMemory = 60.0
    /// The minimum number of detections in the score histogram for a bimodal threshold.
    static let valleySamples: Float = 200
    /// The minimum height of the mode of low scores and of the mode of object scores, as multiples of the height of the
    /// valley between them.
    static let (valleyNoise, valleyObjects): (Float, Float) = (3, 4.5)
    /// The minimum mean number of low-score detections per result for a bimodal threshold. A smaller number of
    /// detections may come from a few objects with low scores.
    static let valleyCrowd: Float = 3
    /// The upper limits of the effective score threshold: a multiple of the user's threshold, and an absolute score.
    static let (valleyFactor, valleyLimit) = (1.5, 0.6)
    /// If a region's edge cuts an object, the detector may detect the visible part under another label. A detection
    /// counts as this part if its IoU with the visible part of the object's box exceeds this value.
    static let fragmentOverlap = 0.5

    // Kalman filters. Source: ranges.

    /// The initial standard deviation of the velocity, in object sizes per second.
    static let firstVelocity = 2.0
    /// The time constant of the decay of the velocities of width and height, in seconds. Without the decay, the box of
    /// an object that walks behind another one would shrink further and further.
    static let sizeDamping = 0.7
    /// The initial measurement noise in object sizes, and the initial process noise in object sizes per second and per
    /// square root of a second. ``MotionStatistics`` estimates both from the stream.
    static let (firstJitter, firstAcceleration) = (0.04, 0.7)
    /// The measurement noise is the measured jitter times this factor, because the errors of consecutive boxes are
    /// correlated.
    static let jitterCorrelation = 1.75
    /// The interval over which accelerations are measured, in nanoseconds. In this time a change of velocity exceeds
    /// the jitter.
    static let accelerationSpan: Nanoseconds = 330_000_000
    /// The errors of two low-score boxes of one object are correlated if less than this time lies between the boxes, in
    /// nanoseconds.
    static let errorCorrelation: Nanoseconds = 150_000_000
    /// The steepness with which the correlation of box errors falls with the score. The correlation is complete for
    /// scores of at most `1 - 1 / errorSteepness`, and 0 for a score of 1.
    static let errorSteepness = 4.0
    /// The time constant with which velocities adapt to a camera that pans, in seconds.
    static let cameraMemory = 0.3

    // Image motion. Source: `ablation` on the sequence with pictures, and unit tests.

    /// The maximum number of image points to track per frame.
    static let flowPoints = 240
    /// The lower and the upper bound of the velocity variance of image motion, in squared object sizes per squared
    /// second. The lower bound applies only to the association, the upper bound always.
    static let (usualImageError, greatestImageError) = (0.25, SIMD4<Double>(repeating: 100))
    /// The weight of the latest error in the running average of the errors of image motion.
    static let imageErrorShare = 0.4

    // Reported boxes. Source: ranges for the residual; others: unit tests.

    /// The reported box is the filtered box plus this fraction of the difference to the detected box. With 1, the
    /// detector's jitter would be visible. With 0, the box would lag.
    static let reportedResidual = 1.0 / 3
    /// The time in nanoseconds in which the difference added by ``reportedResidual`` fades out.
    static let residualTime = 1_000_000_000.0
    /// The minimum width and height of the reported box, relative to the latest detection.
    static let leastReportedSize = 0.25
    /// After a late result, the reported box glides to its new position in `glideTime` nanoseconds. If the IoU of the
    /// old and the new box is at most `glideOverlap`, the box jumps.
    static let (glideTime, glideOverlap) = (200_000_000.0, 0.7)
    /// After a late result, the image motion of new tracks is measured in at most this number of steps.
    static let replaySteps = 25

    // Life cycle. Source: ranges for the evidence; others: unit tests.

    /// The minimum time between two frames for which the later one counts as a key frame, in nanoseconds. The gate
    /// before the decoder passes only key frames while the picture is calm.
    static let keyFrameDistance: Nanoseconds = 900_000_000
    /// Tracks at rarely inferred positions end after this multiple of ``TrackerOptions/maxAge``.
    static let ageFactorOutsideRegions = 2
    /// A detection has full weight towards the confirmation of a track if its score reaches the lower of two limits:
    /// `fullEvidence`, and `fullEvidenceFactor` times the score threshold. With a low threshold, detections with low
    /// scores can thus confirm tracks.
    static let (fullEvidence, fullEvidenceFactor) = (0.6, 6.0)
    /// A result that does not cover a track at sufficient magnification counts as a miss only under two conditions: the
    /// latest detection is older than ``ageFactorOutsideRegions`` times ``TrackerOptions/maxAge``, and there were at
    /// least this many such results since then. Fewer results are no evidence that the object has gone.
    static let inferencesElsewhere = 10
    /// An object counts as detectable in a region if it was last detected at up to this multiple of the region's
    /// magnification.
    static let magnificationTolerance = 1.25
    /// A track ends if less than this fraction of its box is inside the picture.
    static let leastInPicture = 0.1
    /// The time constant of label votes, in seconds.
    static let labelMemory = 2.0

    // Occlusion. Source: unit tests, and `nothing.py` and `coasting.py` beside `ablation`.

    /// The maximum mean difference in grey levels at which the content of two pictures counts as unchanged. The first
    /// value applies to a whole template, the second to the half that shows the occluder. The second is higher, because
    /// the occluder may cover more of the half in the later picture.
    static let (stillDifference, stillDifferenceOfHalf) = (6.0, 15.0)
    /// The minimum correlation of two pictures of the same object: for the whole template, and for a half. The limit
    /// for a half is higher, because a half has fewer samples.
    static let (templateCorrelation, templateCorrelationOfHalf) = (0.6, 0.75)
    /// The minimum similarity between a box's content now and at the latest detection. Below it, the object has
    /// probably left the box.
    static let unchangedSimilarity = 0.5
    /// A half-visible object counts as going behind an occluder only within this time after its latest detection, in
    /// nanoseconds.
    static let vanishingTime: Nanoseconds = 150_000_000
    /// The maximum time in nanoseconds for which moving content at the predicted box counts as a possible occluder.
    static let occluderTime: Nanoseconds = 600_000_000
    /// The minimum interval in nanoseconds between two kept pictures. It is long enough for a moving object to change
    /// its position visibly.
    static let pictureInterval: Nanoseconds = 80_000_000
    /// The number of pictures to keep. With this number, the oldest picture is usually at least ``beforeOcclusion``
    /// older than the previous result.
    static let pictures = 4
    /// The minimum time in nanoseconds between an earlier picture and the latest strong detection of an object. A
    /// walking object was not yet occluded in the earlier picture.
    static let beforeOcclusion: Nanoseconds = 200_000_000
    /// The maximum number of picture checks of missed objects per result. It bounds the cost if a whole crowd is missed
    /// at once.
    static let pictureChecks = 50
    /// Another object covers much of a box if it covers more than this fraction of the box's area.
    static let coveredShare = 0.4
    /// A box has left the picture if its visible fraction falls below this multiple of its visible fraction at the
    /// latest detection.
    static let leastVisible = 0.95
    /// The minimum distance from the latest detection at which a box counts as moved far, in object sizes.
    static let farthestDrift = 0.2
    /// An object can count as in front of another one only if it covers less than this fraction of the other object's
    /// box.
    static let smallPart = 0.3
    /// Another object counts as an occluder if the fraction of the box that it covers has grown by more than this value
    /// since the latest detection. An occluder covers more and more of an object.
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
