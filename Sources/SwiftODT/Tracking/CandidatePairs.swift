/// The pairs of tracks and detections whose expanded boxes overlap (gating, C-BIoU). Each association stage applies its
/// own minimum overlap to them. Only detections in a window along the x axis are tested, so the cost grows with the
/// number of objects and their density, not with the square of the number.
struct CandidatePairs: ~Copyable {
    struct Neighbour {
        /// The index of the detection.
        var column: Int
        /// The IoU of the boxes of the track and the detection, expanded by ``TrackerTuning/candidateMargin``.
        var overlap: Double
    }

    /// The box of a track that is compared with detections: the predicted box, or ``Tracklet/lastKnownBox``.
    enum Place { case predicted, lastSeen }

    /// The candidates, row after row.
    private(set) var all = ScratchList<Neighbour>()
    /// For each row, the index in ``all`` after the last candidate of the row.
    private var ends = ScratchList<Int>()
    private var expandedDetections = ScratchList<ExpandedBox>()

    /// A tolerance in pixels for the order of the left edges. It exceeds the rounding in ``DetectionPreFilter``.
    private static let slack = 0.25

    /// Finds the pairs. `rows` contains the indices of the tracks. The detections must be sorted by their left edges.
    /// `shift` is the camera motion in pixels that the predictions do not include.
    mutating func find(
        _ rows: UnsafeBufferPointer<Int>, of tracks: UnsafeBufferPointer<Tracklet>, at place: Place,
        shift: SIMD2<Double>, among detections: UnsafeBufferPointer<FilteredDetection>
    ) {
        all.clear()
        ends.clear()
        expandedDetections.clear()
        if rows.isEmpty || detections.isEmpty { return }
        var widest = 0.0
        for index in detections.indices {
            expandedDetections.append(ExpandedBox(detections[index].box, by: TrackerTuning.candidateMargin))
            widest = max(widest, detections[index].box.width)
        }
        let reach = widest * TrackerTuning.candidateMargin + Self.slack
        for row in rows {
            let box = place == .predicted ? tracks[row].filter.box : tracks[row].lastKnownBox
            let expanded = ExpandedBox(box.offset(x: shift.x, y: shift.y), by: TrackerTuning.candidateMargin)
            let (left, right) = (expanded.low.x - widest - reach, expanded.high.x + reach)
            let start = detections.indices.partitionPoint { detections[$0].box.x < left }
            let end = detections.indices.partitionPoint { detections[$0].box.x < right }
            for column in start..<max(start, end) {
                let overlap = expanded.overlap(expandedDetections[column])
                // Compares without a division, because most tested pairs do not overlap.
                if overlap.shared > TrackerTuning.candidateOverlap * (1 - 1e-9) * overlap.whole {
                    all.append(Neighbour(column: column, overlap: overlap.shared / overlap.whole))
                }
            }
            ends.append(all.count)
        }
    }

    @inline(__always)
    func places(of row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }
}

struct ExpandedBox {
    let low: SIMD2<Double>
    let high: SIMD2<Double>
    private let area: Double

    /// Moves each side of the box outwards by the fraction `share` of the width or height.
    @inline(__always)
    init(_ box: Box, by share: Double) {
        let size = SIMD2(box.width, box.height)
        let wideSize = size * (1 + 2 * share)
        low = SIMD2(box.x, box.y) - share * size
        high = low + wideSize
        area = wideSize.x * wideSize.y
    }

    /// Returns the areas of the intersection (`shared`) and of the union (`whole`).
    @inline(__always)
    func overlap(_ other: ExpandedBox) -> (shared: Double, whole: Double) {
        let size = (high.smaller(other.high) - low.larger(other.low)).larger(.zero)
        let shared = size.x * size.y
        return (shared, area + other.area - shared)
    }
}
