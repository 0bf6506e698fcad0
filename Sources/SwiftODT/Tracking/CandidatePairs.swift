/// The pairs of tracks and detections whose boxes overlap. Only these pairs are candidates of the association (gating).
///
/// The pairs are found with boxes that are expanded by a wide margin. Several association stages use these pairs,
/// because each stage needs a subset of them: boxes that overlap with a smaller margin also overlap with the wide
/// margin. A row is the position of a track in the argument `rows` of ``find(of:_:at:shift:in:)``. A column is the
/// index of a detection. Each search reuses the memory of the previous one.
struct CandidatePairs: ~Copyable {
    /// A candidate detection for a track.
    struct Neighbour {
        /// The index of the detection.
        var column: Int32
        /// The IoU of the boxes of the track and the detection. Both boxes are expanded by ``margin``.
        var overlap: Double
    }

    /// The candidates of all rows, row after row.
    private(set) var all = ScratchList<Neighbour>()
    /// For each row, the index in ``all`` after the last candidate of the row.
    private(set) var ends = ScratchList<Int>()

    /// The distance by which each side of a box is moved outwards, as a fraction of the width or height of the box. No
    /// association stage uses a wider margin.
    static let margin = 0.3
    /// The minimum IoU of the expanded boxes of a pair. No association stage uses a lower threshold.
    static let threshold = 0.2

    /// The box of a track that is compared with detections: the predicted box, or the box of the last detection.
    enum Place { case predicted, lastSeen }

    /// Finds the candidate pairs of some tracks.
    ///
    /// - Parameters:
    ///   - rows: the indices of the tracks in `tracks`.
    ///   - place: the box of each track that is compared with the detections.
    ///   - shift: the camera motion that the predictions do not include, in pixels. The boxes of the tracks are moved
    ///     by it.
    ///   - index: the detections.
    mutating func find(
        of rows: UnsafeBufferPointer<Int>, _ tracks: UnsafeBufferPointer<Tracklet>, at place: Place,
        shift: SIMD2<Double>, in index: inout DetectionIndex
    ) {
        all.clear()
        ends.clear()
        if rows.isEmpty { return }
        let index = index.view()
        for row in rows {
            let box = place == .predicted ? tracks[row].filter.box : tracks[row].lastBox
            find(near: ExpandedBox(box.offset(x: shift.x, y: shift.y), by: Self.margin), in: index)
            ends.append(all.count)
        }
    }

    /// Returns the range of a row's candidates in ``all``.
    @inline(__always)
    func places(of row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }

    /// Returns the column of the candidate with the greatest IoU. Returns `nil` if the row has no candidates.
    func nearest(of row: Int) -> Int? {
        var (nearest, maximum) = (-1, 0.0)
        for place in places(of: row) where all[place].overlap > maximum {
            (nearest, maximum) = (Int(all[place].column), all[place].overlap)
        }
        return nearest < 0 ? nil : nearest
    }

    @inline(__always)
    private mutating func find(near wide: ExpandedBox, in index: DetectionIndex.View) {
        index.forEach(near: wide) { column in
            let overlap = wide.overlap(index.wide[column])
            // The comparison avoids a division, because most pairs do not overlap.
            if overlap.shared > Self.threshold * (1 - 1e-9) * overlap.whole {
                all.append(
                    Neighbour(column: Int32(truncatingIfNeeded: column), overlap: overlap.shared / overlap.whole))
            }
        }
    }
}

/// A box that is expanded by a margin. Its area is computed in advance for the computation of overlaps.
struct ExpandedBox {
    /// The upper left corner.
    let low: SIMD2<Double>
    /// The lower right corner.
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

    /// Returns the areas of the intersection (`shared`) and of the union (`whole`). The intersection is 0 if the boxes
    /// do not overlap.
    @inline(__always)
    func overlap(_ other: ExpandedBox) -> (shared: Double, whole: Double) {
        let size = (high.smaller(other.high) - low.larger(other.low)).larger(.zero)
        let shared = size.x * size.y
        return (shared, area + other.area - shared)
    }
}
