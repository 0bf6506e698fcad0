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

    private var assignment = Assignment()
    private var boxes: ContiguousArray<Box> = []
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
        boxes.removeAll(keepingCapacity: true)
        var (widest, tallest) = (0.0, 0.0)
        for column in columns {
            boxes.append(detections[column].box)
            widest = max(widest, detections[column].box.width)
            tallest = max(tallest, detections[column].box.height)
        }
        assignment.begin(columns: columns.count)
        for row in rows {
            // Field by field: a tracklet is large, and not copied for this.
            let place = rule.place == .predicted ? tracks[row].filter.box : tracks[row].lastBox
            let expected = place.offset(x: shift.x, y: shift.y)
            let wide = expected.widened(by: rule.buffer)
            let (reach, reachDown) = (widest * rule.buffer, tallest * rule.buffer)
            let unseen = min(1, Double(time - tracks[row].lastSeen) / 1e9)
            // Of two tracks on one object the one that has been there for longer, and is in sight, keeps it.
            let standing = 0.3 * (1 - 1 / Double(tracks[row].hits)) - 0.15 * unseen
            let label = tracks[row].votes.winner
            let (top, bottom) = (wide.minY - reachDown, wide.maxY + reachDown)
            var column = firstBox(notLeftOf: wide.minX - widest - reach)
            while column < boxes.count {
                let box = boxes[column]
                if box.x - reach > wide.maxX { break }
                if box.y < bottom, box.maxY > top {
                    var overlap = wide.iou(box.widened(by: rule.buffer))
                    if let label, let other = detections[columns[column]].label, other.index != label.index {
                        overlap *= Self.doubtOfOtherLabel
                    }
                    var gain = overlap - rule.threshold
                    if gain > 0, rule.isThorough {
                        let likeness = overlap * Self.heightAgreement(expected, box).squareRoot() - rule.threshold
                        let motion = 0.3 * tracks[row].filter.likeness(box, shift: shift)
                        gain = likeness > 0 ? max(likeness + motion + standing, 1e-6) : 0
                    }
                    assignment.offer(column: column, gain: gain)
                }
                column += 1
            }
            assignment.endRow()
        }
        assignment.solve()
        for (number, row) in rows.enumerated() where assignment.columnOfRow[number] >= 0 {
            pairs.append(Pair(track: row, detection: columns[Int(assignment.columnOfRow[number])]))
        }
    }

    /// Overlap along the vertical alone: people side by side differ little across, but often in height and distance.
    private static func heightAgreement(_ a: Box, _ b: Box) -> Double {
        let shared = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        let whole = max(a.maxY, b.maxY) - min(a.minY, b.minY)
        return whole > 0 ? max(0, shared) / whole : 0
    }

    private func firstBox(notLeftOf x: Double) -> Int {
        var (low, high) = (0, boxes.count)
        while low < high {
            let middle = (low + high) / 2
            if boxes[middle].x < x { low = middle + 1 } else { high = middle }
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
