/// Lets through what can be tracked: finite boxes of sensible size, each object once, not more than can be handled.
struct DetectionSieve {
    /// The detections that came through, strongest first.
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
        accepted.sort { $0.score > $1.score }
        if accepted.count > Self.most { accepted.removeLast(accepted.count - Self.most) }
        dropDuplicates()
    }

    /// Two boxes this much alike are one object, found twice.
    private mutating func dropDuplicates() {
        var count = 0
        for candidate in 0..<accepted.count {
            let box = accepted[candidate].box
            var isDuplicate = false
            for index in 0..<count where abs(accepted[index].box.x - box.x) < 0.1 * box.width {
                if accepted[index].box.iou(box) > 0.9 {
                    isDuplicate = true
                    break
                }
            }
            if isDuplicate { continue }
            accepted[count] = accepted[candidate]
            count += 1
        }
        accepted.removeLast(accepted.count - count)
    }
}
