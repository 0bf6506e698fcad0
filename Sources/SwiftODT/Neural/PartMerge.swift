/// Makes one answer of what was seen in the parts of one picture: each thing once, and whole.
///
/// A thing is found in several parts, since they overlap, and on several levels. What a part has whole is suppressed as a network's own
/// boxes are, by class. What an edge cuts through never replaces that: a piece is compared with what its part can have seen of each
/// whole thing, and goes where it is a piece of one; pieces of one thing that nobody has whole are joined.
/// Each look errs a little about where a thing ends: boxes of several looks that agree are averaged, and nearer looks count more.
/// (SAHI merges greedily whatever covers half of the smaller box, so that who stands before another becomes a part of them, and pieces
/// with high scores grow over what was seen whole.)
struct PartMerge: Sendable {
    /// In the order of the answers.
    let parts: [SeenPart]
    /// Two boxes of one class that overlap more than this are one thing.
    let iouThreshold: Double

    /// Pieces that agree so well about where both their parts look are of one thing.
    private static let sharedOverlap = 0.5
    /// A piece of a thing that nobody has whole is as sure as this share of its score.
    private static let trustInPieces = 0.6
    /// What fills so much of a part's side is seen well by the level before; where it has not been, this share of the score is left.
    private static let (largeShare, trustInLarge) = (0.5, 0.5)
    /// Boxes of two looks that agree so well differ by nothing but what each of them errs by.
    private static let agreement = 0.75
    /// More things than this in a picture are not told apart: the strongest are.
    private static let most = 5000

    private struct Sighting {
        var detection: Detection
        let part: Int
        let isLarge: Bool
    }

    /// A thing as its surest look has it, and the other looks that agree with that, one of each part.
    private struct Thing {
        let surest: Sighting
        var others: [Sighting] = []
        var detection: Detection { surest.detection }
    }

    func callAsFunction(_ answers: [[Detection]]) -> [Detection] {
        var (whole, pieces): ([Sighting], [Sighting]) = ([], [])
        for (number, detections) in answers.enumerated() {
            for detection in detections where detection.box.isFinite && !detection.box.isEmpty {
                let isLarge = isLarge(detection.box, in: parts[number])
                var sighting = Sighting(detection: detection, part: number, isLarge: isLarge)
                if isLarge { sighting.detection.score *= Self.trustInLarge }
                if parts[number].cuts(detection.box) { pieces.append(sighting) } else { whole.append(sighting) }
            }
        }
        var kept: [Thing] = []
        for sighting in strongest(whole) {
            if let place = kept.firstIndex(where: { isSame(sighting, $0.surest) }) {
                if agrees(sighting, with: kept[place]) { kept[place].others.append(sighting) }
            } else {
                kept.append(Thing(surest: sighting))
            }
        }
        let all = kept
        kept.removeAll { thing in all.contains { isDetail(thing.surest, of: $0.surest) } }
        let joined = join(strongest(pieces).filter { piece in !kept.contains { isPiece(piece, of: $0.detection) } })
        let extra = joined.filter { piece in
            !kept.contains { piece.box.iou($0.detection.box) > iouThreshold && piece.label == $0.detection.label }
        }
        return sorted(kept.map(averaged) + extra)
    }

    /// Whether a look at a thing tells where it ends as well as its surest one, or better.
    private func agrees(_ sighting: Sighting, with thing: Thing) -> Bool {
        guard sighting.detection.label == thing.detection.label, !sighting.isLarge || thing.surest.isLarge else {
            return false
        }
        return sighting.detection.box.iou(thing.detection.box) > Self.agreement
            && !thing.others.contains { $0.part == sighting.part }
    }

    /// The mean of what all looks say of a thing's box. Each is as likely wrong by a pixel of its input, of which nearer ones have more.
    private func averaged(_ thing: Thing) -> Detection {
        guard !thing.others.isEmpty else { return thing.detection }
        let surest = thing.detection.box
        var (low, high, total) = (SIMD2<Double>.zero, SIMD2<Double>.zero, 0.0)
        for sighting in [thing.surest] + thing.others {
            let box = sighting.detection.box
            let weight = sighting.detection.score * parts[sighting.part].magnification
            low += weight * SIMD2(box.minX - surest.minX, box.minY - surest.minY)
            high += weight * SIMD2(box.maxX - surest.maxX, box.maxY - surest.maxY)
            total += weight
        }
        guard total > 0 else { return thing.detection }
        (low, high) = (low / total, high / total)
        var detection = thing.detection
        detection.box = Box(
            minX: surest.minX + low.x, minY: surest.minY + low.y, maxX: surest.maxX + high.x, maxY: surest.maxY + high.y
        )
        return detection
    }

    private func isLarge(_ box: Box, in part: SeenPart) -> Bool {
        !part.isWhole && max(box.width / part.box.width, box.height / part.box.height) > Self.largeShare
    }

    /// By their scores; equal ones in the order in which they came, so that results repeat exactly.
    private func strongest(_ sightings: [Sighting]) -> [Sighting] {
        let order = sightings.indices.sorted {
            let (one, other) = (sightings[$0].detection.score, sightings[$1].detection.score)
            return one == other ? $0 < $1 : one > other
        }
        return order.prefix(Self.most).map { sightings[$0] }
    }

    private func sorted(_ detections: [Detection]) -> [Detection] {
        detections.enumerated().sorted {
            $0.element.score == $1.element.score ? $0.offset < $1.offset : $0.element.score > $1.element.score
        }.map(\.element)
    }

    /// Whether two boxes, neither of them cut, are of one thing. Those of one part are not: its network has told them apart.
    private func isSame(_ one: Sighting, _ other: Sighting) -> Bool {
        guard one.part != other.part else { return false }
        let overlap = one.detection.box.iou(other.detection.box)
        return one.detection.label == other.detection.label
            ? overlap > iouThreshold : overlap > Double(Suppression.acrossClasses)
    }

    /// Whether something seen in a part is but a detail of a thing of which the part has only a piece: a head, taken for somebody.
    private func isDetail(_ sighting: Sighting, of thing: Sighting) -> Bool {
        let (box, other) = (sighting.detection, thing.detection)
        guard sighting.part != thing.part, box.label == other.label, parts[sighting.part].cuts(other.box) else {
            return false
        }
        return Piece.isDetail(box.box, score: box.score, of: other.box, score: other.score)
    }

    /// Whether a cut box is of a thing that was seen whole.
    private func isPiece(_ piece: Sighting, of thing: Detection) -> Bool {
        let box = piece.detection.box
        let isOfClass = piece.detection.label == thing.label
        if isOfClass, Piece.lies(box, within: thing.box) { return true }
        let visible = thing.box.intersection(parts[piece.part].box)
        return visible.iou(box) > (isOfClass ? Self.sharedOverlap : Double(Suppression.acrossClasses))
    }

    /// Puts pieces of one thing together, the surest first.
    private func join(_ pieces: [Sighting]) -> [Detection] {
        var things: [(detection: Detection, parts: [Sighting])] = []
        for piece in pieces {
            let place = things.firstIndex { thing in
                thing.detection.label == piece.detection.label && thing.parts.contains { areOne($0, piece) }
            }
            guard let place else {
                things.append((piece.detection, [piece]))
                continue
            }
            things[place].detection.box = things[place].detection.box.union(piece.detection.box)
            things[place].parts.append(piece)
        }
        return things.map {
            Detection(box: $0.detection.box, score: $0.detection.score * Self.trustInPieces, label: $0.detection.label)
        }
    }

    /// Whether two pieces are of one thing: where both their parts look they show the same of it.
    private func areOne(_ one: Sighting, _ other: Sighting) -> Bool {
        guard one.part != other.part else { return false }
        let shared = parts[one.part].box.intersection(parts[other.part].box)
        let (first, second) = (one.detection.box.intersection(shared), other.detection.box.intersection(shared))
        guard !first.isEmpty, !second.isEmpty else { return false }
        return first.iou(second) > Self.sharedOverlap
    }
}
