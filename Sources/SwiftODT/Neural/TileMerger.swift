/// Merges the detections of all tiles of a frame. A tile is a region of the frame, or the full frame, on which
/// inference runs. Each object is reported once, with its complete box.
///
/// Tiles overlap, and there are levels of tiles with different magnifications (``TileGrid``). Several tiles therefore
/// contain the same object. Complete boxes are merged by non-maximum suppression, with a higher threshold for boxes of
/// different classes. If the complete boxes of several tiles agree, their positions are averaged. Tiles with a higher
/// magnification have a higher weight.
///
/// A box that reaches the edge of its tile is a fragment, because the edge may cut the object. A fragment never
/// replaces a complete box. The merger compares each fragment with the part of each complete box that lies in the
/// fragment's tile. If the two match, the fragment is dropped. The remaining fragments of one object are joined.
///
/// The library SAHI merges greedily by the intersection over the area of the smaller box. With that method, an object
/// is merged into a larger object behind it, and fragments with high scores can extend the complete box.
struct TileMerger: Sendable {
    /// The tiles of the frame. The merger receives one list of detections per tile, in this order.
    let tiles: [InferredRegion]
    /// The intersection over union (IoU) above which two complete boxes of the same class are one object.
    let iouThreshold: Double

    /// The IoU above which two fragments belong to the same object. Only the parts of the boxes in the area that both
    /// tiles cover are compared.
    private static let sharedAreaIoU = 0.5
    /// If only fragments of an object were detected, the score of the object is multiplied by this factor.
    private static let fragmentScoreFactor = 0.6
    /// A box is large if one of its sides exceeds `largeShare` of the tile's side. The object should then be complete
    /// in a larger tile of the previous level. To prefer the box of that tile, the score of the large box is multiplied
    /// by `largeScoreFactor`.
    private static let (largeShare, largeScoreFactor) = (0.5, 0.5)
    /// If the IoU of the complete boxes of two tiles exceeds this value, the boxes differ only by localisation errors
    /// and are averaged.
    private static let agreementIoU = 0.75
    /// The maximum number of complete boxes, and also the maximum number of fragments. Those with the highest scores
    /// are used.
    private static let maximum = 5000

    private struct TileDetection {
        var detection: Detection
        let tile: Int
        let isLarge: Bool
    }

    /// The complete detections of one object whose boxes agree. `best` has the highest score. `others` are detections
    /// of other tiles, at most one for each tile.
    private struct DetectionCluster {
        let best: TileDetection
        var others: [TileDetection] = []
        var detection: Detection { best.detection }
    }

    /// Returns the merged detections, in descending order of score. `answers` has the order of ``tiles``.
    func callAsFunction(_ answers: [[Detection]]) -> [Detection] {
        var (whole, fragments): ([TileDetection], [TileDetection]) = ([], [])
        for (number, detections) in answers.enumerated() {
            for detection in detections where detection.box.isFinite && !detection.box.isEmpty {
                let isLarge = isLarge(detection.box, in: tiles[number])
                var candidate = TileDetection(detection: detection, tile: number, isLarge: isLarge)
                if isLarge { candidate.detection.score *= Self.largeScoreFactor }
                if tiles[number].cuts(detection.box) { fragments.append(candidate) } else { whole.append(candidate) }
            }
        }
        var kept: [DetectionCluster] = []
        for candidate in sorted(whole, score: \.detection.score).prefix(Self.maximum) {
            if let place = kept.firstIndex(where: { isSame(candidate, $0.best) }) {
                if agrees(candidate, with: kept[place]) { kept[place].others.append(candidate) }
            } else {
                kept.append(DetectionCluster(best: candidate))
            }
        }
        let all = kept
        kept.removeAll { object in all.contains { isDetail(object.best, of: $0.best) } }
        let rest = sorted(fragments, score: \.detection.score).prefix(Self.maximum)
        let joined = join(rest.filter { fragment in !kept.contains { isFragment(fragment, of: $0.detection) } })
        let extra = joined.filter { fragment in
            !kept.contains { fragment.box.iou($0.detection.box) > iouThreshold && fragment.label == $0.detection.label }
        }
        return sorted(kept.map(averaged) + extra, score: \.score)
    }

    /// Returns whether the boxes agree well enough to be averaged.
    private func agrees(_ candidate: TileDetection, with object: DetectionCluster) -> Bool {
        guard candidate.detection.label == object.detection.label, !candidate.isLarge || object.best.isLarge else {
            return false
        }
        return candidate.detection.box.iou(object.detection.box) > Self.agreementIoU
            && !object.others.contains { $0.tile == candidate.tile }
    }

    /// Returns the best detection of a cluster, with the weighted mean of all boxes of the cluster. The weight is the
    /// product of the score and the magnification of the tile. A higher magnification is more accurate, because the
    /// localisation error is about one pixel of the network's input.
    private func averaged(_ object: DetectionCluster) -> Detection {
        guard !object.others.isEmpty else { return object.detection }
        let best = object.detection.box
        var (low, high, total) = (SIMD2<Double>.zero, SIMD2<Double>.zero, 0.0)
        for candidate in [object.best] + object.others {
            let box = candidate.detection.box
            let weight = candidate.detection.score * tiles[candidate.tile].magnification
            low += weight * SIMD2(box.minX - best.minX, box.minY - best.minY)
            high += weight * SIMD2(box.maxX - best.maxX, box.maxY - best.maxY)
            total += weight
        }
        guard total > 0 else { return object.detection }
        (low, high) = (low / total, high / total)
        var detection = object.detection
        detection.box = Box(
            minX: best.minX + low.x, minY: best.minY + low.y, maxX: best.maxX + high.x, maxY: best.maxY + high.y
        )
        return detection
    }

    private func isLarge(_ box: Box, in tile: InferredRegion) -> Bool {
        !tile.isWhole && max(box.width / tile.box.width, box.height / tile.box.height) > Self.largeShare
    }

    /// Returns the detections in descending order of score. Detections with equal scores keep their order.
    private func sorted<Item>(_ detections: [Item], score: (Item) -> Double) -> [Item] {
        let scores = detections.map(score)
        return detections.indices.sorted { scores[$0] == scores[$1] ? $0 < $1 : scores[$0] > scores[$1] }
            .map { detections[$0] }
    }

    /// Returns whether two complete boxes show the same object. Two boxes of the same tile always show different
    /// objects, because non-maximum suppression has already removed duplicates within the tile.
    private func isSame(_ one: TileDetection, _ other: TileDetection) -> Bool {
        guard one.tile != other.tile else { return false }
        let overlap = one.detection.box.iou(other.detection.box)
        return one.detection.label == other.detection.label
            ? overlap > iouThreshold : overlap > Double(Suppression.acrossClasses)
    }

    /// Returns whether a complete box shows only a detail of a larger object, for example a head that was detected as a
    /// person. The edge of the box's tile must cut the larger object.
    private func isDetail(_ candidate: TileDetection, of object: TileDetection) -> Bool {
        let (box, other) = (candidate.detection, object.detection)
        guard candidate.tile != object.tile, box.label == other.label, tiles[candidate.tile].cuts(other.box) else {
            return false
        }
        return TileFragment.isDetail(box.box, score: box.score, of: other.box, score: other.score)
    }

    private func isFragment(_ fragment: TileDetection, of object: Detection) -> Bool {
        let box = fragment.detection.box
        let isOfClass = fragment.detection.label == object.label
        if isOfClass, TileFragment.lies(box, within: object.box) { return true }
        let visible = object.box.intersection(tiles[fragment.tile].box)
        return visible.iou(box) > (isOfClass ? Self.sharedAreaIoU : Double(Suppression.acrossClasses))
    }

    /// Joins the fragments of the same object. `fragments` is in descending order of score.
    private func join(_ fragments: [TileDetection]) -> [Detection] {
        var objects: [(detection: Detection, tiles: [TileDetection])] = []
        for fragment in fragments {
            let place = objects.firstIndex { object in
                object.detection.label == fragment.detection.label
                    && object.tiles.contains { showSameObject($0, fragment) }
            }
            guard let place else {
                objects.append((fragment.detection, [fragment]))
                continue
            }
            objects[place].detection.box = objects[place].detection.box.union(fragment.detection.box)
            objects[place].tiles.append(fragment)
        }
        return objects.map {
            Detection(
                box: $0.detection.box, score: $0.detection.score * Self.fragmentScoreFactor, label: $0.detection.label)
        }
    }

    /// Returns whether the boxes of two fragments overlap enough within the area that both tiles cover.
    private func showSameObject(_ one: TileDetection, _ other: TileDetection) -> Bool {
        guard one.tile != other.tile else { return false }
        let shared = tiles[one.tile].box.intersection(tiles[other.tile].box)
        let (first, second) = (one.detection.box.intersection(shared), other.detection.box.intersection(shared))
        guard !first.isEmpty, !second.isEmpty else { return false }
        return first.iou(second) > Self.sharedAreaIoU
    }
}
