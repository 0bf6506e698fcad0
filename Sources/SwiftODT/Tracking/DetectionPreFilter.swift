/// Lets through what can be tracked: finite boxes of sensible size, each object once, not more than can be handled.
struct DetectionPreFilter: ~Copyable {
    /// The detections that came through, from left to right.
    private(set) var accepted = ScratchList<FilteredDetection>()
    /// Those that did not, of all answers so far.
    private(set) var unused = UnusedDetections()
    private var places = ScratchList<SortKey>()

    /// Where a box begins, in 256ths of a pixel, and which it is, in one number: nothing is quicker to sort.
    private struct SortKey: Comparable {
        private let key: Int

        init(of box: Box, _ index: Int) { key = Int((box.x + DetectionPreFilter.farthest) * 256) << 24 | index }

        var index: Int { key & (Self.maximum - 1) }

        static func < (one: SortKey, other: SortKey) -> Bool { one.key < other.key }

        static let maximum = 1 << 24
    }

    /// More than this many detections in a frame are noise; the strongest are kept.
    static let maximum = 2000
    /// Coordinates beyond belong to no picture.
    private static let farthest = 1e6

    /// - Parameters:
    ///   - floor: weaker detections than this say nothing.
    ///   - region: what was looked at; what it cuts through is known too badly.
    mutating func accept(_ detections: [Detection], from floor: Double, of region: InferredRegion? = nil) {
        places.clear()
        for index in detections.indices.prefix(SortKey.maximum) {
            if detections[index].score < floor {
                unused.weak += 1
            } else if detections[index].score >= floor, Self.isPlausible(detections[index].box) {
                if let region, region.cuts(detections[index].box) { continue }
                places.append(SortKey(of: detections[index].box, index))
            } else {
                unused.impossible += 1
            }
        }
        unused.surplus += max(0, detections.count - SortKey.maximum) + max(0, places.count - Self.maximum)
        if places.count > Self.maximum {
            places.sort { detections[$0.index].score > detections[$1.index].score }
            places.shorten(to: Self.maximum)
        }
        // Places are sorted instead of detections, which are large.
        places.sort()
        accepted.clear()
        for number in places.indices {
            let index = places[number].index
            let score = min(1, detections[index].score)
            accepted.append(
                FilteredDetection(
                    box: detections[index].box, score: score, ownScore: score,
                    label: detections[index].label?.index ?? -1, source: index))
        }
        dropDuplicates()
        discountOverlapped(from: floor)
    }

    /// What is not finite does not compare like this either.
    private static func isPlausible(_ box: Box) -> Bool {
        box.width >= 0.5 && box.height >= 0.5 && box.minX > -farthest
            && box.minY > -farthest && box.maxX < farthest && box.maxY < farthest
    }

    /// Two boxes this much alike are one object, found twice. The stronger one stays.
    private mutating func dropDuplicates() {
        var isDoubled = false
        for first in accepted.indices {
            let box = accepted[first].box
            var second = first + 1
            while second < accepted.count, accepted[second].box.x - box.x < 0.1 * box.width {
                if min(accepted[first].score, accepted[second].score) > 0, accepted[second].box.iou(box) > 0.9 {
                    let weaker = accepted[first].score < accepted[second].score ? first : second
                    accepted[weaker].score = 0
                    unused.doubled += 1
                    isDoubled = true
                }
                second += 1
            }
        }
        if isDoubled { accepted.keep { $0.score > 0 } }
    }

    /// Leaves of each score what no surer box of a thing of the same name explains. Where that is too little, the box goes.
    private mutating func discountOverlapped(from floor: Double) {
        var isExplained = false
        for first in accepted.indices {
            let one = accepted[first]
            // What begins further right, or shares less of the height, overlaps too little.
            let end = one.box.x + (1 - SoftSuppression.free) * one.box.width
            for second in first + 1..<accepted.count {
                let other = accepted[second]
                if other.box.x >= end { break }
                let height = min(one.box.maxY, other.box.maxY) - max(one.box.y, other.box.y)
                guard height > SoftSuppression.free * max(one.box.height, other.box.height), one.label == other.label,
                    one.score != other.score
                else { continue }
                let share = SoftSuppression.share(ofOverlap: one.box.iou(other.box))
                if share == 1 { continue }
                let weaker = one.score < other.score ? first : second
                accepted[weaker].ownScore = min(accepted[weaker].ownScore, accepted[weaker].score * share)
                if accepted[weaker].ownScore < floor { isExplained = true }
            }
        }
        guard isExplained else { return }
        let before = accepted.count
        accepted.keep { $0.ownScore >= floor }
        unused.doubled += before - accepted.count
    }
}
