/// What moved in the frames before: gives each region its age, and keeps two things apart that pass each other.
struct MotionHistory {
    /// Something that moves, in pixels of the plane.
    struct MovingObject {
        var box: Box
        /// How much it differs from the background, 0...1.
        var contrast: Double
        /// Pixels a second.
        var velocityX = 0.0
        var velocityY = 0.0
        /// Seconds for which it has been seen.
        var age = 0.0
        /// Seconds for which it has been part of a larger region.
        var mergedFor = 0.0
        /// Seconds for which it has been seen in several parts.
        var brokenFor = 0.0
        /// What it looked like when it was last a region of its own.
        var template: ObjectTemplate?
    }

    /// A region of the present frame.
    struct RegionObservation {
        var box: Box
        var contrast: Double
        /// Whether it has been put together from several.
        var isBroken = false
        /// By which the frame knows it.
        var region: Int?
    }

    /// Where a thing is in a region that it shares with others, and how much of it is to be seen there, 0...1.
    private struct Placement {
        var object: MovingObject
        var support: Double
    }

    private(set) var objects: [MovingObject] = []

    /// Share of a thing's foreseen box that a region has to cover to be it.
    private static let minimumCover = 0.5
    /// Seconds after which a thing is known well enough to be kept apart from others.
    private static let knownAfter = 0.4
    /// Seconds for which things are kept apart within one region.
    private static let separatedFor = 2.0
    /// Seconds after which two things are not taken for parts of one, though they go the same way.
    private static let certainAfter = 1.0
    /// How much of a thing has to be seen where it is found within a region, and where it is the only one known there.
    private static let minimumSupport = 0.35
    private static let sureSupport = 0.55
    /// What grows by this from one frame to the next has met something.
    private static let minimumGrowth = 1.35
    /// What is left of a region is a thing from this share of the smallest one there on.
    private static let minimumRemainder = 0.25
    /// In any case it has so many pixels, and so many across and down: less is the rim of what was taken away.
    private static let minimumRemainderArea = 12.0
    private static let minimumRemainderSide = 4.0
    /// Seconds for which the parts of a thing are taken for one.
    private static let togetherFor = 0.4
    /// Seconds over which a velocity is measured.
    private static let velocityTime = 0.25

    /// Takes in the regions of a frame, `elapsed` seconds after the one before.
    ///
    /// - Parameter frame: by which things are told apart within a region; without it they go on there as they went before.
    mutating func advance(_ regions: [RegionObservation], elapsed: Double, in frame: LabeledFrame? = nil) {
        let predicted = objects.map { object in
            var object = object
            object.box = object.box.offset(x: object.velocityX * elapsed, y: object.velocityY * elapsed)
            return object
        }
        let regions = rejoin(regions, predicted)
        var next: [MovingObject] = []
        var claims = [[Int]](repeating: [], count: regions.count)
        for (index, object) in predicted.enumerated() {
            // The region that covers most of the thing claims it.
            let covers = regions.map { object.box.intersection($0.box).area / max(object.box.area, 1e-9) }
            if let best = covers.indices.max(by: { covers[$0] < covers[$1] }), covers[best] >= Self.minimumCover {
                claims[best].append(index)
            }
        }
        for (region, claimed) in zip(regions, claims) {
            let known = claimed.map { predicted[$0] }
            if let apart = divide(region, among: known, elapsed: elapsed, in: frame) {
                next += apart
            } else {
                next.append(follow(known.max { $0.age < $1.age }, to: region, elapsed: elapsed, in: frame))
            }
        }
        objects = next
    }

    mutating func forget() { objects = [] }

    /// One thing has become one region: its velocity and age grow.
    private func follow(
        _ object: MovingObject?, to region: RegionObservation, elapsed: Double, in frame: LabeledFrame?
    ) -> MovingObject {
        var next = MovingObject(box: region.box, contrast: region.contrast)
        next.template = frame.map { ObjectTemplate(of: region.box, in: $0) }
        guard let object else { return next }
        next.age = object.age + elapsed
        next.brokenFor = region.isBroken ? object.brokenFor + elapsed : 0
        (next.velocityX, next.velocityY) = (object.velocityX, object.velocityY)
        turn(
            &next, by: (region.box.centerX - object.box.centerX, region.box.centerY - object.box.centerY),
            elapsed: elapsed)
        return next
    }

    /// A thing is so far from where it was foreseen.
    private func turn(_ object: inout MovingObject, by displacement: (x: Double, y: Double), elapsed: Double) {
        guard elapsed > 0 else { return }
        let share = max(elapsed / (elapsed + Self.velocityTime), elapsed / max(object.age, elapsed))
        object.velocityX += share * displacement.x / elapsed
        object.velocityY += share * displacement.y / elapsed
    }

    /// Well known things that go different ways have become one region, or one of them has met something new: each goes on within
    /// the region as it was, and what none of them explains is another thing.
    private func divide(_ region: RegionObservation, among claimed: [MovingObject], elapsed: Double, in frame: LabeledFrame?) -> [MovingObject]?
    {
        guard let frame else { return keepSeparate(claimed, within: region.box, elapsed: elapsed) }
        let (known, parts) = separateParts(claimed.filter { $0.age >= Self.knownAfter && $0.mergedFor < Self.separatedFor })
        guard let oldest = known.first else { return nil }
        if known.count == 1, !parts.isEmpty || region.box.area < Self.minimumGrowth * oldest.box.area { return nil }
        var places = known.map { place($0, within: region.box, elapsed: elapsed, in: frame) }
        if known.count == 1, places[0].support < Self.sureSupport { return nil }
        var young = claimed.filter { $0.age < Self.knownAfter }
        var others: [MovingObject] = []
        for piece in rest(of: region, without: places, in: frame) where !join(piece, to: &places, parts, in: frame) {
            let mine = young.firstIndex { $0.box.intersection(piece.box).area >= Self.minimumCover * $0.box.area }
            others.append(follow(mine.map { young.remove(at: $0) }, to: piece, elapsed: elapsed, in: frame))
        }
        return known.count + others.count > 1 ? places.map(\.object) + others : nil
    }

    /// The same without a picture.
    private func keepSeparate(_ known: [MovingObject], within region: Box, elapsed: Double) -> [MovingObject]? {
        guard known.count > 1, known.allSatisfy({ $0.age >= Self.knownAfter && $0.mergedFor < Self.separatedFor }) else {
            return nil
        }
        for (i, a) in known.enumerated() {
            for b in known[(i + 1)...] where !differ(a, b) { return nil }
        }
        return known.map { extrapolate($0, within: region, elapsed: elapsed) }
    }

    /// A thing that is not seen within its region goes on as it was.
    private func extrapolate(_ object: MovingObject, within region: Box, elapsed: Double) -> MovingObject {
        var next = object
        next.age += elapsed
        next.mergedFor += elapsed
        next.box = align(object, within: region)
        return next
    }

    /// Parts from others those that may be parts of an older one, the oldest first.
    private func separateParts(_ objects: [MovingObject]) -> (wholes: [MovingObject], parts: [MovingObject]) {
        var (wholes, parts): ([MovingObject], [MovingObject]) = ([], [])
        for object in objects.sorted(by: { $0.age > $1.age }) {
            if object.age < Self.certainAfter, wholes.contains(where: { !differ($0, object) }) {
                parts.append(object)
            } else {
                wholes.append(object)
            }
        }
        return (wholes, parts)
    }

    /// What is left of a region without the things that are seen in it, where that is large enough to be one itself.
    private func rest(of region: RegionObservation, without places: [Placement], in frame: LabeledFrame) -> [RegionObservation] {
        guard let number = region.region, let smallest = places.map(\.object.box.area).min() else { return [] }
        let minimum = max(Self.minimumRemainder * smallest, Self.minimumRemainderArea)
        let seen = places.filter { $0.support >= Self.minimumSupport }.map(\.object.box)
        return frame.rest(of: number, without: seen).filter {
            Double($0.area) >= minimum && min($0.box.width, $0.box.height) >= Self.minimumRemainderSide
        }.map { RegionObservation(box: $0.box, contrast: region.contrast) }
    }

    /// Whether a piece is what is seen of a thing that is mostly hidden, more of one that is coming into the picture, or a part of
    /// one: then it is joined to that.
    private func join(_ piece: RegionObservation, to places: inout [Placement], _ parts: [MovingObject], in frame: LabeledFrame) -> Bool {
        let hidden = places.firstIndex {
            $0.support < Self.minimumSupport && $0.object.box.overlaps(piece.box, by: Self.minimumCover)
        }
        if let hidden {
            places[hidden].support = 1
            return true
        }
        let part = parts.first { $0.box.overlaps(piece.box, by: Self.minimumCover) }
        let whole = places.firstIndex { place in
            place.object.template?.isOpen(towards: piece.box, from: place.object.box, in: frame) ?? false
                || part.map { !differ(place.object, $0) } ?? false
        }
        guard let whole else { return false }
        let box = places[whole].object.box.union(piece.box)
        places[whole].object.box = box
        places[whole].object.template = ObjectTemplate(of: box, in: frame)
        return true
    }

    /// Where a thing is within a region that it shares with others, and how much of it is to be seen.
    private func place(_ object: MovingObject, within region: Box, elapsed: Double, in frame: LabeledFrame) -> Placement {
        let step = elapsed * max(abs(object.velocityX), abs(object.velocityY))
        guard let (box, support) = object.template?.find(near: object.box, step: step, in: frame),
            support >= Self.minimumSupport
        else { return Placement(object: extrapolate(object, within: region, elapsed: elapsed), support: 0) }
        var next = object
        next.age += elapsed
        next.box = box
        turn(&next, by: (box.centerX - object.box.centerX, box.centerY - object.box.centerY), elapsed: elapsed)
        return Placement(object: next, support: support)
    }

    /// Whether two things go different ways, so that they are not parts of one.
    private func differ(_ a: MovingObject, _ b: MovingObject) -> Bool {
        let speed =
            ((a.velocityX - b.velocityX) * (a.velocityX - b.velocityX)
            + (a.velocityY - b.velocityY) * (a.velocityY - b.velocityY)).squareRoot()
        return speed > 0.3 * min(a.box.area, b.box.area).squareRoot()
    }

    /// Moves a foreseen box so that it lies within the region, and against those of its sides that it is near to and moves
    /// towards.
    private func align(_ object: MovingObject, within region: Box) -> Box {
        func shift(
            _ low: Double, _ high: Double, _ regionLow: Double, _ regionHigh: Double, _ velocity: Double
        ) -> Double {
            let near = 0.15 * (high - low)
            let (toLow, toHigh) = (regionLow - low, regionHigh - high)
            if toLow > 0, toHigh < 0 { return (toLow + toHigh) / 2 }
            if toLow > 0 || -toLow < near && velocity < 0 { return toLow }
            return toHigh < 0 || toHigh < near && velocity > 0 ? toHigh : 0
        }
        let box = object.box
        return box.offset(
            x: shift(box.minX, box.maxX, region.minX, region.maxX, object.velocityX),
            y: shift(box.minY, box.maxY, region.minY, region.maxY, object.velocityY))
    }

    private func isWhole(_ object: MovingObject) -> Bool {
        object.age >= Self.knownAfter && object.mergedFor == 0 && object.brokenFor < Self.togetherFor
    }

    /// Puts regions together again that were one well known thing a moment ago and still fill its place.
    private func rejoin(
        _ regions: [RegionObservation], _ predicted: [MovingObject]
    ) -> [RegionObservation] {
        var regions = regions
        for object in predicted where isWhole(object) {
            let parts = regions.indices.filter { index in
                let box = regions[index].box
                return box.intersection(object.box).area > 0.7 * box.area
            }
            guard parts.count > 1, let first = parts.first else { continue }
            let whole = parts.dropFirst().reduce(regions[first].box) { $0.union(regions[$1].box) }
            guard whole.iou(object.box) > 0.7 else { continue }
            let contrast = parts.map { regions[$0].contrast }.max() ?? regions[first].contrast
            regions[first] = RegionObservation(box: whole, contrast: contrast, isBroken: true)
            for index in parts.dropFirst().reversed() { regions.remove(at: index) }
        }
        return regions
    }
}

extension Box {
    /// Whether so much of the smaller one lies in the other.
    fileprivate func overlaps(_ other: Box, by share: Double) -> Bool {
        intersection(other).area >= share * min(area, other.area)
    }
}
