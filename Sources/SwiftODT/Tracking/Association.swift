import Glibc

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

        enum Place { case predicted, lastSeen }

        /// Strong detections: the main pass.
        static let strong = Rule(threshold: 0.2, buffer: 0.1, place: .predicted)
        /// Weak detections continue tracks where they are expected to be, and have to fit well.
        static let weak = Rule(threshold: 0.4, buffer: 0.1, place: .predicted)
        /// Objects that stopped, or turned while they were hidden, reappear where they were.
        static let reappearing = Rule(threshold: 0.2, buffer: 0.3, place: .lastSeen)
        /// Objects seen once have no velocity yet.
        static let young = Rule(threshold: 0.2, buffer: 0.3, place: .lastSeen)
        /// Rough pairs, to find out how the camera moved.
        static let camera = Rule(threshold: 0.2, buffer: 0.3, place: .predicted)
    }

    struct Pair: Sendable {
        var track: Int
        var detection: Int
    }

    private var assignment = Assignment()
    private var order: ContiguousArray<Int> = []
    /// The pairs of the latest ``match(_:_:with:_:at:rule:shift:)``.
    private(set) var pairs: ContiguousArray<Pair> = []

    /// Finds the best pairs among some of the tracks and some of the detections, both given by index.
    ///
    /// - Parameter shift: how far the camera has moved everything away from the predictions.
    mutating func match(
        _ tracks: ContiguousArray<Tracklet>, _ rows: ContiguousArray<Int>,
        with detections: ContiguousArray<Detection>, _ columns: ContiguousArray<Int>, at time: Nanoseconds, rule: Rule,
        shift: SIMD2<Double>
    ) {
        pairs.removeAll(keepingCapacity: true)
        if rows.isEmpty || columns.isEmpty { return }
        order.removeAll(keepingCapacity: true)
        order.append(contentsOf: columns)
        order.sort { detections[$0].box.x < detections[$1].box.x }
        var widest = 0.0
        for column in columns { widest = max(widest, detections[column].box.width) }
        assignment.begin(columns: order.count)
        for row in rows {
            let track = tracks[row]
            let place = rule.place == .predicted ? track.filter.box : track.lastBox
            let expected = place.offset(x: shift.x, y: shift.y)
            let wide = expected.widened(by: rule.buffer)
            let reach = widest * rule.buffer
            var column = firstColumn(notLeftOf: wide.minX - widest - reach, detections)
            while column < order.count {
                let detection = detections[order[column]]
                if detection.box.x - reach > wide.maxX { break }
                if let gain = gain(track, expected, wide, detection, at: time, rule: rule, shift: shift) {
                    assignment.offer(column: column, gain: gain)
                }
                column += 1
            }
            assignment.endRow()
        }
        assignment.solve()
        for (number, row) in rows.enumerated() where assignment.columnOfRow[number] >= 0 {
            pairs.append(Pair(track: row, detection: order[Int(assignment.columnOfRow[number])]))
        }
    }

    /// What the pair is worth, or `nil` if it is none.
    private func gain(
        _ track: Tracklet, _ expected: Box, _ wide: Box, _ detection: Detection, at time: Nanoseconds, rule: Rule,
        shift: SIMD2<Double>
    ) -> Double? {
        let overlap = wide.iou(detection.box.widened(by: rule.buffer))
        guard overlap > rule.threshold else { return nil }
        guard rule.place == .predicted else { return overlap - rule.threshold }
        let likeness = overlap * Self.heightAgreement(expected, detection.box).squareRoot()
        guard likeness > rule.threshold else { return nil }
        let unseen = min(1, Double(time - track.lastSeen) / 1e9)
        let gain = likeness - rule.threshold + 0.3 * track.filter.likeness(detection.box, shift: shift) - 0.3 * unseen
        return max(gain, 1e-6)
    }

    /// Overlap along the vertical alone: people side by side differ little across, but often in height and distance.
    private static func heightAgreement(_ a: Box, _ b: Box) -> Double {
        let shared = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        let whole = max(a.maxY, b.maxY) - min(a.minY, b.minY)
        return whole > 0 ? max(0, shared) / whole : 0
    }

    private func firstColumn(notLeftOf x: Double, _ detections: ContiguousArray<Detection>) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if detections[order[middle]].box.x < x { low = middle + 1 } else { high = middle }
        }
        return low
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
