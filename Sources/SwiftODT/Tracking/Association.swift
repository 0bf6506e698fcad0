/// Brings tracks and detections together: which pairs are thinkable, how alike they are, and the best pairing of all.
///
/// Only pairs whose boxes come near each other are looked at, found along the x axis, so that the cost grows with the
/// number of objects and their crowding, not with its square. Memory is kept from frame to frame.
struct Association {
    /// What makes a pair, and a better one.
    struct Rule: Sendable {
        /// Pairs that are less alike are none.
        var threshold: Double
        /// By how much of its size each box is widened on every side before overlap is measured.
        var buffer: Double
        /// Whether tracks are looked for where they should be by now, or where they were last seen.
        var place: Place
        /// Whether overlap is all, or height, motion and age count too.
        var isThorough: Bool

        enum Place { case predicted, lastSeen }

        /// Strong detections: the main pass.
        static let strong = Rule(threshold: 0.2, buffer: 0.1, place: .predicted, isThorough: true)
        /// Weak detections continue tracks where they are expected to be, and have to fit well.
        static let weak = Rule(threshold: 0.5, buffer: 0.1, place: .predicted, isThorough: true)
        /// Objects that stopped, or turned while they were hidden, reappear where they were.
        static let reappearing = Rule(threshold: 0.4, buffer: 0.3, place: .lastSeen, isThorough: false)
        /// Objects seen once have no velocity yet.
        static let young = Rule(threshold: 0.2, buffer: 0.3, place: .lastSeen, isThorough: false)
        /// Rough pairs, to find out how the camera moved.
        static let camera = Rule(threshold: 0.2, buffer: 0.3, place: .predicted, isThorough: false)
    }

    struct Pair: Sendable {
        var track: Int
        var detection: Int
    }

    /// What is left of the overlap where the detector calls the two different things: it may change its mind about a
    /// thing, but the bicycle behind somebody who walks away is not that somebody.
    private static let doubtOfOtherLabel = 0.4

    /// A detection that a track may be paired with.
    private struct Offer {
        var box: Box
        var wide: Edges
        /// -1 where the detector does not say.
        var label: Int
    }

    private var assignment = Assignment()
    private var offers: ContiguousArray<Offer> = []
    /// The pairs of the latest ``match(_:_:with:_:at:rule:shift:)``.
    private(set) var pairs: ContiguousArray<Pair> = []

    /// Finds the best pairs among some of the tracks and some of the detections, both given by index.
    ///
    /// - Parameters:
    ///   - columns: from left to right.
    ///   - shift: how far the camera has moved everything away from the predictions.
    mutating func match(
        _ tracks: ContiguousArray<Tracklet>, _ rows: ContiguousArray<Int>,
        with detections: ContiguousArray<Detection>, _ columns: ContiguousArray<Int>, at time: Nanoseconds, rule: Rule,
        shift: SIMD2<Double>
    ) {
        pairs.removeAll(keepingCapacity: true)
        if rows.isEmpty || columns.isEmpty { return }
        offers.removeAll(keepingCapacity: true)
        var widest = 0.0
        for column in columns {
            let box = detections[column].box
            offers.append(
                Offer(box: box, wide: Edges(box.widened(by: rule.buffer)), label: detections[column].label?.index ?? -1)
            )
            widest = max(widest, box.width)
        }
        assignment.begin(columns: columns.count)
        // Views, so that neither tracklets, which are large, nor labels are copied.
        tracks.withUnsafeBufferPointer { tracks in
            offers.withUnsafeBufferPointer { offers in
                for row in rows {
                    Self.offer(
                        offers, to: tracks, row, at: time, rule: rule, shift: shift, widest: widest, in: &assignment)
                }
            }
        }
        assignment.solve()
        for (number, row) in rows.enumerated() where assignment.columnOfRow[number] >= 0 {
            pairs.append(Pair(track: row, detection: columns[Int(assignment.columnOfRow[number])]))
        }
    }

    /// Offers one track what comes near it.
    private static func offer(
        _ offers: UnsafeBufferPointer<Offer>, to tracks: UnsafeBufferPointer<Tracklet>, _ row: Int,
        at time: Nanoseconds, rule: Rule, shift: SIMD2<Double>, widest: Double, in assignment: inout Assignment
    ) {
        let place = rule.place == .predicted ? tracks[row].filter.box : tracks[row].lastBox
        let expected = place.offset(x: shift.x, y: shift.y)
        let wide = Edges(expected.widened(by: rule.buffer))
        let reach = widest * rule.buffer
        let label = tracks[row].votes.winnerIndex
        var column = first(in: offers, notLeftOf: wide.minX - widest - reach)
        while column < offers.count, offers[column].box.x - reach <= wide.maxX {
            defer { column += 1 }
            guard offers[column].wide.touches(wide) else { continue }
            var overlap = wide.iou(offers[column].wide)
            if label >= 0, offers[column].label >= 0, offers[column].label != label { overlap *= doubtOfOtherLabel }
            var gain = overlap - rule.threshold
            if gain > 0, rule.isThorough {
                let box = offers[column].box
                let likeness = overlap * heightAgreement(expected, box).squareRoot() - rule.threshold
                guard likeness > 0 else { continue }
                let motion = 0.3 * tracks[row].filter.likeness(box, shift: shift)
                let unseen = min(1, Double(time - tracks[row].lastSeen) / 1e9)
                // Of two tracks on one object the one that has been there for longer, and is in sight, keeps it.
                let standing = 0.3 * (1 - 1 / Double(tracks[row].hits)) - 0.15 * unseen
                gain = max(likeness + motion + standing, 1e-6)
            }
            assignment.offer(column: column, gain: gain)
        }
        assignment.endRow()
    }

    /// Overlap along the vertical alone: people side by side differ little across, but often in height and distance.
    private static func heightAgreement(_ a: Box, _ b: Box) -> Double {
        let shared = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        let whole = max(a.maxY, b.maxY) - min(a.minY, b.minY)
        return whole > 0 ? max(0, shared) / whole : 0
    }

    private static func first(in offers: UnsafeBufferPointer<Offer>, notLeftOf x: Double) -> Int {
        var (low, high) = (0, offers.count)
        while low < high {
            let middle = (low + high) / 2
            if offers[middle].box.x < x { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A box as overlap wants it.
private struct Edges {
    let minX: Double
    let minY: Double
    let maxX: Double
    let maxY: Double
    let area: Double

    init(_ box: Box) {
        (minX, minY, maxX, maxY, area) = (box.minX, box.minY, box.maxX, box.maxY, box.area)
    }

    func touches(_ other: Edges) -> Bool {
        minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
    }

    /// Intersection over union of two that touch.
    func iou(_ other: Edges) -> Double {
        let shared = (min(maxX, other.maxX) - max(minX, other.minX)) * (min(maxY, other.maxY) - max(minY, other.minY))
        return shared / (area + other.area - shared)
    }
}

extension Box {
    /// The box with a margin of `share` of its own size on every side.
    fileprivate func widened(by share: Double) -> Box {
        Box(
            x: x - share * width, y: y - share * height, width: width * (1 + 2 * share),
            height: height * (1 + 2 * share))
    }
}
