/// The pairs of tracks and detections whose boxes overlap: the gate of the association.
///
/// The pairs are computed once with a wide margin, and several stages use them. Pairs that overlap with a smaller
/// margin also overlap with the wide one. A row stands for a track and a column for a detection. Memory is reused from
/// result to result.
struct CandidatePairs: ~Copyable {
    /// A candidate detection of a track.
    struct Neighbour {
        var column: Int32
        /// The IoU of the two boxes after both were widened by ``margin``.
        var overlap: Double
    }

    private(set) var all = ScratchList<Neighbour>()
    /// The end of each row's range in ``all``.
    private(set) var ends = ScratchList<Int>()

    /// The margin of each box on every side, as a fraction of the box's size. No association rule uses a wider margin.
    static let margin = 0.3
    /// The minimum IoU of a pair. No association rule uses a lower one.
    static let threshold = 0.2

    /// Selects the track's box: the predicted or the last observed one.
    enum Place { case predicted, lastSeen }

    /// Finds the candidate pairs of some tracks.
    ///
    /// - Parameters:
    ///   - rows: the indices of the tracks.
    ///   - place: the box of each track to compare.
    ///   - shift: the camera motion beyond the prediction, in pixels.
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

    /// Returns the candidate column with the greatest overlap. `nil` if the row has no candidates.
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
            // Compares without a division, because most pairs do not overlap.
            if overlap.shared > Self.threshold * (1 - 1e-9) * overlap.whole {
                all.append(
                    Neighbour(column: Int32(truncatingIfNeeded: column), overlap: overlap.shared / overlap.whole))
            }
        }
    }
}

/// A box with a margin, prepared for computing overlaps.
struct ExpandedBox {
    /// The upper left corner.
    let low: SIMD2<Double>
    /// The lower right corner.
    let high: SIMD2<Double>
    private let area: Double

    /// Widens the box on every side by the fraction `share` of its size.
    @inline(__always)
    init(_ box: Box, by share: Double) {
        let size = SIMD2(box.width, box.height)
        let wideSize = size * (1 + 2 * share)
        low = SIMD2(box.x, box.y) - share * size
        high = low + wideSize
        area = wideSize.x * wideSize.y
    }

    /// Returns the areas of intersection (0 if the boxes do not touch) and union.
    @inline(__always)
    func overlap(_ other: ExpandedBox) -> (shared: Double, whole: Double) {
        let size = (high.smaller(other.high) - low.larger(other.low)).larger(.zero)
        let shared = size.x * size.y
        return (shared, area + other.area - shared)
    }
}
