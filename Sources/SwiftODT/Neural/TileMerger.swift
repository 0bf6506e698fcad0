/// Makes one answer of what was seen in the parts of one picture: each thing once, and whole.
///
/// A thing is found in several parts, since they overlap, and on several levels. What a part has whole is suppressed as a network's own
/// boxes are, by class. What an edge cuts through never replaces that: a piece is compared with what its part can have seen of each
/// whole thing, and goes where it is a piece of one; pieces of one thing that nobody has whole are joined.
/// Each look errs a little about where a thing ends: boxes of several looks that agree are averaged, and nearer looks count more.
/// (SAHI merges greedily whatever covers half of the smaller box, so that who stands before another becomes a part of them, and pieces
/// with high scores grow over what was seen whole.)
struct TileMerger: Sendable {
    /// In the order of the answers.
    let tiles: [InferredRegion]
    /// Two boxes of one class that overlap more than this are one thing.
    let iouThreshold: Double

    /// Pieces that agree so well about where both their parts look are of one thing.
    private static let sharedOverlap = 0.5
    /// A piece of a thing that nobody has whole is as sure as this share of its score.
    private static let trustInFragments = 0.6
    /// What fills so much of a part's side is seen well by the level before; where it has not been, this share of the score is left.
    private static let (largeShare, trustInLarge) = (0.5, 0.5)
    /// Boxes of two looks that agree so well differ by nothing but what each of them errs by.
    private static let agreement = 0.75
    /// More things than this in a picture are not told apart: the strongest are.
    private static let maximum = 5000

    private struct TileDetection {
        var detection: Detection
        let tile: Int
        let isLarge: Bool
    }

    /// A thing as its surest look has it, and the other looks that agree with that, one of each part.
    private struct DetectionCluster {
        let best: TileDetection
        var others: [TileDetection] = []
        var detection: Detection { best.detection }
    }

    func callAsFunction(_ answers: [[Detection]]) -> [Detection] {
        var (whole, fragments): ([TileDetection], [TileDetection]) = ([], [])
        for (number, detections) in answers.enumerated() {
            for detection in detections where detection.box.isFinite && !detection.box.isEmpty {
                let isLarge = isLarge(detection.box, in: tiles[number])
                var sighting = TileDetection(detection: detection, tile: number, isLarge: isLarge)
                if isLarge { sighting.detection.score *= Self.trustInLarge }
                if tiles[number].cuts(detection.box) { fragments.append(sighting) } else { whole.append(sighting) }
            }
        }
        var kept: [DetectionCluster] = []
        for sighting in strongest(whole) {
            if let place = kept.firstIndex(where: { isSame(sighting, $0.best) }) {
                if agrees(sighting, with: kept[place]) { kept[place].others.append(sighting) }
            } else {
                kept.append(DetectionCluster(best: sighting))
            }
        }
        let all = kept
        kept.removeAll { object in all.contains { isDetail(object.best, of: $0.best) } }
        let joined = join(strongest(fragments).filter { fragment in !kept.contains { isFragment(fragment, of: $0.detection) } })
        let extra = joined.filter { fragment in
            !kept.contains { fragment.box.iou($0.detection.box) > iouThreshold && fragment.label == $0.detection.label }
        }
        return sorted(kept.map(averaged) + extra)
    }

    /// Whether a look at a thing tells where it ends as well as its surest one, or better.
    private func agrees(_ sighting: TileDetection, with object: DetectionCluster) -> Bool {
        guard sighting.detection.label == object.detection.label, !sighting.isLarge || object.best.isLarge else {
            return false
        }
        return sighting.detection.box.iou(object.detection.box) > Self.agreement
            && !object.others.contains { $0.tile == sighting.tile }
    }

    /// The mean of what all looks say of a thing's box. Each is as likely wrong by a pixel of its input, of which nearer ones have more.
    private func averaged(_ object: DetectionCluster) -> Detection {
        guard !object.others.isEmpty else { return object.detection }
        let best = object.detection.box
        var (low, high, total) = (SIMD2<Double>.zero, SIMD2<Double>.zero, 0.0)
        for sighting in [object.best] + object.others {
            let box = sighting.detection.box
            let weight = sighting.detection.score * tiles[sighting.tile].magnification
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

    /// By their scores; equal ones in the order in which they came, so that results repeat exactly.
    private func strongest(_ sightings: [TileDetection]) -> [TileDetection] {
        let order = sightings.indices.sorted {
            let (one, other) = (sightings[$0].detection.score, sightings[$1].detection.score)
            return one == other ? $0 < $1 : one > other
        }
        return order.prefix(Self.maximum).map { sightings[$0] }
    }

    private func sorted(_ detections: [Detection]) -> [Detection] {
        detections.enumerated().sorted {
            $0.element.score == $1.element.score ? $0.offset < $1.offset : $0.element.score > $1.element.score
        }.map(\.element)
    }

    /// Whether two boxes, neither of them cut, are of one thing. Those of one part are not: its network has told them apart.
    private func isSame(_ one: TileDetection, _ other: TileDetection) -> Bool {
        guard one.tile != other.tile else { return false }
        let overlap = one.detection.box.iou(other.detection.box)
        return one.detection.label == other.detection.label
            ? overlap > iouThreshold : overlap > Double(Suppression.acrossClasses)
    }

    /// Whether something seen in a part is but a detail of a thing of which the part has only a piece: a head, taken for somebody.
    private func isDetail(_ sighting: TileDetection, of object: TileDetection) -> Bool {
        let (box, other) = (sighting.detection, object.detection)
        guard sighting.tile != object.tile, box.label == other.label, tiles[sighting.tile].cuts(other.box) else {
            return false
        }
        return TileFragment.isDetail(box.box, score: box.score, of: other.box, score: other.score)
    }

    /// Whether a cut box is of a thing that was seen whole.
    private func isFragment(_ fragment: TileDetection, of object: Detection) -> Bool {
        let box = fragment.detection.box
        let isOfClass = fragment.detection.label == object.label
        if isOfClass, TileFragment.lies(box, within: object.box) { return true }
        let visible = object.box.intersection(tiles[fragment.tile].box)
        return visible.iou(box) > (isOfClass ? Self.sharedOverlap : Double(Suppression.acrossClasses))
    }

    /// Puts pieces of one thing together, the surest first.
    private func join(_ fragments: [TileDetection]) -> [Detection] {
        var objects: [(detection: Detection, tiles: [TileDetection])] = []
        for fragment in fragments {
            let place = objects.firstIndex { object in
                object.detection.label == fragment.detection.label && object.tiles.contains { areOne($0, fragment) }
            }
            guard let place else {
                objects.append((fragment.detection, [fragment]))
                continue
            }
            objects[place].detection.box = objects[place].detection.box.union(fragment.detection.box)
            objects[place].tiles.append(fragment)
        }
        return objects.map {
            Detection(box: $0.detection.box, score: $0.detection.score * Self.trustInFragments, label: $0.detection.label)
        }
    }

    /// Whether two pieces are of one thing: where both their parts look they show the same of it.
    private func areOne(_ one: TileDetection, _ other: TileDetection) -> Bool {
        guard one.tile != other.tile else { return false }
        let shared = tiles[one.tile].box.intersection(tiles[other.tile].box)
        let (first, second) = (one.detection.box.intersection(shared), other.detection.box.intersection(shared))
        guard !first.isEmpty, !second.isEmpty else { return false }
        return first.iou(second) > Self.sharedOverlap
    }
}
