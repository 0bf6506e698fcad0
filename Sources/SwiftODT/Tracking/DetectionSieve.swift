/// Lets through what can be tracked: finite boxes of sensible size, each object once, not more than can be handled.
struct DetectionSieve {
    /// The detections that came through, from left to right.
    private(set) var accepted: ContiguousArray<Detection> = []

    /// More than this many detections in a frame are noise; the strongest are kept.
    private static let most = 2000
    /// Coordinates beyond belong to no picture.
    private static let farthest = 1e6
    /// Weaker detections than this say nothing.
    private static let floor = 0.1

    mutating func sift(_ detections: [Detection]) {
        accepted.removeAll(keepingCapacity: true)
        for detection in detections {
            let box = detection.box
            guard detection.score >= Self.floor, box.isFinite, !box.isEmpty, box.width >= 0.5, box.height >= 0.5,
                max(abs(box.minX), abs(box.minY), abs(box.maxX), abs(box.maxY)) < Self.farthest
            else { continue }
            var kept = detection
            kept.score = min(kept.score, 1)
            accepted.append(kept)
        }
        if accepted.count > Self.most {
            accepted.sort { $0.score > $1.score }
            accepted.removeLast(accepted.count - Self.most)
        }
        accepted.sort { $0.box.x < $1.box.x }
        dropDuplicates()
    }

    /// Two boxes this much alike are one object, found twice. The stronger one stays.
    private mutating func dropDuplicates() {
        for first in accepted.indices {
            let box = accepted[first].box
            var second = first + 1
            while second < accepted.count, accepted[second].box.x - box.x < 0.1 * box.width {
                if accepted[first].score > 0, accepted[second].box.iou(box) > 0.9 {
                    let weaker = accepted[first].score < accepted[second].score ? first : second
                    accepted[weaker].score = 0
                }
                second += 1
            }
        }
        accepted.removeAll { $0.score == 0 }
    }
}
