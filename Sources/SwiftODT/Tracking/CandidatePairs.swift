/// The pairs of tracks and detections whose boxes overlap: the gate of the association.
///
/// Computed once with a wide margin and reused by several stages: pairs that overlap with a smaller margin also
/// overlap with this one. Memory is reused from frame to frame.
struct CandidatePairs: ~Copyable {
    /// A candidate detection of a track.
    struct Neighbour {
        var column: Int32
        /// The IoU of the two boxes, both with the margin.
        var overlap: Double
    }

    private(set) var all = ScratchList<Neighbour>()
    /// The end of each row's range in ``all``.
    private(set) var ends = ScratchList<Int>()

    /// The share of its size by which each box is widened on every side; no rule uses a wider margin.
    static let margin = 0.3
    /// The minimum IoU of a pair; no rule uses a lower one.
    static let threshold = 0.2

    /// The position of the track: the predicted or the last observed one.
    enum Place { case predicted, lastSeen }

    /// Finds the candidate pairs of the given tracks.
    ///
    /// - Parameter shift: the camera motion since then, in pixels.
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

    /// Returns the range of a row in ``all``.
    @inline(__always)
    func places(of row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }

    /// Returns the column with the greatest overlap, `nil` if the row has no candidates.
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
            // Compared without a division, because most pairs do not overlap.
            if overlap.shared > Self.threshold * (1 - 1e-9) * overlap.whole {
                all.append(
                    Neighbour(column: Int32(truncatingIfNeeded: column), overlap: overlap.shared / overlap.whole))
            }
        }
    }
}

/// A box with a margin, prepared for computing overlaps.
struct ExpandedBox {
    /// The upper left and the lower right corner.
    let low: SIMD2<Double>
    let high: SIMD2<Double>
    private let area: Double

    /// Widens the box by `share` of its size on every side.
    @inline(__always)
    init(_ box: Box, by share: Double) {
        let size = SIMD2(box.width, box.height)
        let wideSize = size * (1 + 2 * share)
        low = SIMD2(box.x, box.y) - share * size
        high = low + wideSize
        area = wideSize.x * wideSize.y
    }

    /// Returns the areas of intersection and union. The intersection is 0 if the boxes do not touch.
    @inline(__always)
    func overlap(_ other: ExpandedBox) -> (shared: Double, whole: Double) {
        let size = (high.smaller(other.high) - low.larger(other.low)).larger(.zero)
        let shared = size.x * size.y
        return (shared, area + other.area - shared)
    }
}
