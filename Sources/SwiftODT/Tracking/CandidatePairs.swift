/// Which detections overlap which tracks, however little: the pairs that can be thought of at all.
///
/// What is found with a wide margin holds for every narrower one, as widening two boxes is the same as bringing them closer
/// together. So one look serves several stages. Memory is kept from frame to frame.
struct CandidatePairs: ~Copyable {
    struct Neighbour {
        var column: Int32
        /// Intersection over union of the two boxes, both with the margin.
        var overlap: Double
    }

    private(set) var all = ScratchList<Neighbour>()
    /// Where in ``all`` those of each row end.
    private(set) var ends = ScratchList<Int>()

    /// By how much of its size each box is widened on every side; no rule does so by more.
    static let margin = 0.3
    /// Overlap from which two are neighbours; no rule asks for less.
    static let threshold = 0.2

    /// Whether tracks are looked for where they should be by now, or where they were last seen.
    enum Place { case predicted, lastSeen }

    /// Finds the neighbours of some of the tracks, given by index.
    ///
    /// - Parameter shift: how far the camera has moved everything away from there.
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

    /// Where in ``all`` those of a row are.
    @inline(__always)
    func places(of row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }

    /// The column that overlaps a row most, `nil` where none does.
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
            // Most are not: they are not worth a division.
            if overlap.shared > Self.threshold * (1 - 1e-9) * overlap.whole {
                all.append(
                    Neighbour(column: Int32(truncatingIfNeeded: column), overlap: overlap.shared / overlap.whole))
            }
        }
    }
}
