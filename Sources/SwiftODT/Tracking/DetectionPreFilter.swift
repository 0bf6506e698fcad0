/// Selects the detections for tracking: finite boxes of plausible size, without duplicates, up to a maximum number.
struct DetectionPreFilter: ~Copyable {
    /// The accepted detections, from left to right.
    private(set) var accepted = ScratchList<FilteredDetection>()
    private(set) var unused = UnusedDetections()
    /// A sort key for each accepted detection: the left edge in 1/256 pixel, and the index in the lower 24 bits.
    /// Sorting integers is faster than sorting detections, which are large.
    private var keys = ScratchList<Int>()

    private static let indexLimit = 1 << 24
    /// The maximum number of detections per result. The detections with the highest scores are kept.
    static let maximum = 2000
    /// The maximum absolute coordinate in pixels.
    private static let farthest = 1e6

    /// Drops detections with a score below `floor` and detections that the edges of `region` cut.
    mutating func accept(
        _ detections: [Detection], from floor: Double, of region: InferredRegion? = nil,
        heuristics: TrackerHeuristics = TrackerHeuristics()
    ) {
        keys.clear()
        for index in detections.indices.prefix(Self.indexLimit) {
            if detections[index].score < floor {
                unused.weak += 1
            } else if detections[index].score >= floor, Self.isPlausible(detections[index].box) {
                if let region, region.cuts(detections[index].box) { continue }
                keys.append(Int((detections[index].box.x + Self.farthest) * 256) << 24 | index)
            } else {
                unused.impossible += 1
            }
        }
        unused.surplus += max(0, detections.count - Self.indexLimit) + max(0, keys.count - Self.maximum)
        if keys.count > Self.maximum {
            keys.sort { detections[$0 % Self.indexLimit].score > detections[$1 % Self.indexLimit].score }
            keys.shorten(to: Self.maximum)
        }
        keys.sort()
        accepted.clear()
        for number in keys.indices {
            let index = keys[number] % Self.indexLimit
            let score = min(1, detections[index].score)
            accepted.append(
                FilteredDetection(
                    box: detections[index].box, score: score, ownScore: score,
                    label: detections[index].label?.classNumber ?? -1, source: index,
                    origin: detections[index].origin))
        }
        if heuristics.contains(.softNMS) { discountOverlapped(from: floor) }
    }

    /// Boxes with NaN coordinates also fail these comparisons.
    private static func isPlausible(_ box: Box) -> Bool {
        box.width >= 0.5 && box.height >= 0.5 && box.minX > -farthest
            && box.minY > -farthest && box.maxX < farthest && box.maxY < farthest
    }

    /// Applies soft non-maximum suppression (soft NMS): the greater the overlap of a box with a stronger box of the
    /// same label, the lower its score. Drops the box if the reduced score is below `floor`. Of two duplicates, only
    /// the stronger one stays. A second box on one object recurs in every frame, so it is no evidence of another one.
    private mutating func discountOverlapped(from floor: Double) {
        for first in accepted.indices {
            let one = accepted[first]
            // Beyond these limits the IoU cannot exceed ``TrackerTuning/separateOverlap``.
            let end = one.box.x + (1 - TrackerTuning.separateOverlap) * one.box.width
            for second in first + 1..<accepted.count {
                let other = accepted[second]
                if other.box.x >= end { break }
                let height = min(one.box.maxY, other.box.maxY) - max(one.box.y, other.box.y)
                guard height > TrackerTuning.separateOverlap * max(one.box.height, other.box.height) else { continue }
                let overlap = one.box.iou(other.box)
                let isDuplicate = overlap > TrackerTuning.duplicateOverlap
                if !isDuplicate, one.label != other.label || one.score == other.score { continue }
                let share = isDuplicate ? 0 : min(1, (1 - overlap) / (1 - TrackerTuning.separateOverlap))
                if share == 1 { continue }
                let weaker = one.score < other.score ? first : second
                accepted[weaker].ownScore = min(accepted[weaker].ownScore, accepted[weaker].score * share)
            }
        }
        let before = accepted.count
        accepted.keep { $0.ownScore >= floor }
        unused.doubled += before - accepted.count
    }
}

/// A detection that passed ``DetectionPreFilter``. It has no ``Label``, because labels are reference-counted.
struct FilteredDetection: Sendable {
    var box: Box
    var score: Double
    /// The score after soft NMS.
    var ownScore: Double
    /// The class number of the label, or -1 without a label.
    var label: Int
    /// The index of the detection in the detector's result.
    var source: Int
    var origin: Int?
    /// Whether ``ownScore`` is below ``TrackerOptions/scoreThreshold``. Such a detection cannot begin a track.
    var isBelowThreshold = false
}

package struct UnusedDetections: Hashable, Sendable {
    /// Below the minimum score.
    package var weak = 0
    /// Too small, not finite, or far outside any picture.
    package var impossible = 0
    /// Duplicates of a stronger detection.
    package var doubled = 0
    /// Beyond the maximum number per result.
    package var surplus = 0

    package var count: Int { weak + impossible + doubled + surplus }
}
