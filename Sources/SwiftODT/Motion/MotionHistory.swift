/// What moved in the frames before: gives each region its age, and keeps two things apart that pass each other.
struct MotionHistory {
    /// Something that moves, in pixels of the plane.
    struct Thing {
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
        var likeness: Likeness?
    }

    /// A region of the present frame.
    struct Sighting {
        var box: Box
        var contrast: Double
        /// Whether it has been put together from several.
        var isBroken = false
        /// By which the frame knows it.
        var region: Int?
    }

    /// Where a thing is in a region that it shares with others, and how much of it is to be seen there, 0...1.
    private struct Place {
        var thing: Thing
        var support: Double
    }

    private(set) var things: [Thing] = []

    /// Share of a thing's foreseen box that a region has to cover to be it.
    private static let leastCover = 0.5
    /// Seconds after which a thing is known well enough to be kept apart from others.
    private static let knownAfter = 0.4
    /// Seconds for which things are kept apart within one region.
    private static let apartFor = 2.0
    /// Seconds after which two things are not taken for parts of one, though they go the same way.
    private static let certainAfter = 1.0
    /// How much of a thing has to be seen where it is found within a region, and where it is the only one known there.
    private static let leastSupport = 0.35
    private static let sureSupport = 0.55
    /// What grows by this from one frame to the next has met something.
    private static let leastGrowth = 1.35
    /// What is left of a region is a thing from this share of the smallest one there on.
    private static let leastRest = 0.25
    /// In any case it has so many pixels, and so many across and down: less is the rim of what was taken away.
    private static let leastRestArea = 12.0
    private static let leastRestSide = 4.0
    /// Seconds for which the parts of a thing are taken for one.
    private static let togetherFor = 0.4
    /// Seconds over which a velocity is measured.
    private static let velocityTime = 0.25

    /// Takes in the regions of a frame, `elapsed` seconds after the one before.
    ///
    /// - Parameter frame: by which things are told apart within a region; without it they go on there as they went before.
    mutating func advance(_ regions: [Sighting], elapsed: Double, in frame: MarkedFrame? = nil) {
        let foreseen = things.map { thing in
            var thing = thing
            thing.box = thing.box.offset(x: thing.velocityX * elapsed, y: thing.velocityY * elapsed)
            return thing
        }
        let regions = rejoin(regions, foreseen)
        var next: [Thing] = []
        var claims = [[Int]](repeating: [], count: regions.count)
        for (index, thing) in foreseen.enumerated() {
            // The region that covers most of the thing claims it.
            let covers = regions.map { thing.box.intersection($0.box).area / max(thing.box.area, 1e-9) }
            if let best = covers.indices.max(by: { covers[$0] < covers[$1] }), covers[best] >= Self.leastCover {
                claims[best].append(index)
            }
        }
        for (region, claimed) in zip(regions, claims) {
            let known = claimed.map { foreseen[$0] }
            if let apart = divide(region, among: known, elapsed: elapsed, in: frame) {
                next += apart
            } else {
                next.append(follow(known.max { $0.age < $1.age }, to: region, elapsed: elapsed, in: frame))
            }
        }
        things = next
    }

    mutating func forget() { things = [] }

    /// One thing has become one region: its velocity and age grow.
    private func follow(
        _ thing: Thing?, to region: Sighting, elapsed: Double, in frame: MarkedFrame?
    ) -> Thing {
        var next = Thing(box: region.box, contrast: region.contrast)
        next.likeness = frame.map { Likeness(of: region.box, in: $0) }
        guard let thing else { return next }
        next.age = thing.age + elapsed
        next.brokenFor = region.isBroken ? thing.brokenFor + elapsed : 0
        (next.velocityX, next.velocityY) = (thing.velocityX, thing.velocityY)
        turn(
            &next, by: (region.box.centerX - thing.box.centerX, region.box.centerY - thing.box.centerY),
            elapsed: elapsed)
        return next
    }

    /// A thing is so far from where it was foreseen.
    private func turn(_ thing: inout Thing, by way: (x: Double, y: Double), elapsed: Double) {
        guard elapsed > 0 else { return }
        let share = max(elapsed / (elapsed + Self.velocityTime), elapsed / max(thing.age, elapsed))
        thing.velocityX += share * way.x / elapsed
        thing.velocityY += share * way.y / elapsed
    }

    /// Well known things that go different ways have become one region, or one of them has met something new: each goes on within
    /// the region as it was, and what none of them explains is another thing.
    private func divide(_ region: Sighting, among claimed: [Thing], elapsed: Double, in frame: MarkedFrame?) -> [Thing]?
    {
        guard let frame else { return keepApart(claimed, within: region.box, elapsed: elapsed) }
        let (known, parts) = tellParts(claimed.filter { $0.age >= Self.knownAfter && $0.mergedFor < Self.apartFor })
        guard let oldest = known.first else { return nil }
        if known.count == 1, !parts.isEmpty || region.box.area < Self.leastGrowth * oldest.box.area { return nil }
        var places = known.map { place($0, within: region.box, elapsed: elapsed, in: frame) }
        if known.count == 1, places[0].support < Self.sureSupport { return nil }
        var young = claimed.filter { $0.age < Self.knownAfter }
        var others: [Thing] = []
        for piece in rest(of: region, without: places, in: frame) where !join(piece, to: &places, parts, in: frame) {
            let mine = young.firstIndex { $0.box.intersection(piece.box).area >= Self.leastCover * $0.box.area }
            others.append(follow(mine.map { young.remove(at: $0) }, to: piece, elapsed: elapsed, in: frame))
        }
        return known.count + others.count > 1 ? places.map(\.thing) + others : nil
    }

    /// The same without a picture.
    private func keepApart(_ known: [Thing], within region: Box, elapsed: Double) -> [Thing]? {
        guard known.count > 1, known.allSatisfy({ $0.age >= Self.knownAfter && $0.mergedFor < Self.apartFor }) else {
            return nil
        }
        for (i, a) in known.enumerated() {
            for b in known[(i + 1)...] where !differ(a, b) { return nil }
        }
        return known.map { goOn($0, within: region, elapsed: elapsed) }
    }

    /// A thing that is not seen within its region goes on as it was.
    private func goOn(_ thing: Thing, within region: Box, elapsed: Double) -> Thing {
        var next = thing
        next.age += elapsed
        next.mergedFor += elapsed
        next.box = align(thing, within: region)
        return next
    }

    /// Parts from others those that may be parts of an older one, the oldest first.
    private func tellParts(_ things: [Thing]) -> (wholes: [Thing], parts: [Thing]) {
        var (wholes, parts): ([Thing], [Thing]) = ([], [])
        for thing in things.sorted(by: { $0.age > $1.age }) {
            if thing.age < Self.certainAfter, wholes.contains(where: { !differ($0, thing) }) {
                parts.append(thing)
            } else {
                wholes.append(thing)
            }
        }
        return (wholes, parts)
    }

    /// What is left of a region without the things that are seen in it, where that is large enough to be one itself.
    private func rest(of region: Sighting, without places: [Place], in frame: MarkedFrame) -> [Sighting] {
        guard let number = region.region, let smallest = places.map(\.thing.box.area).min() else { return [] }
        let least = max(Self.leastRest * smallest, Self.leastRestArea)
        let seen = places.filter { $0.support >= Self.leastSupport }.map(\.thing.box)
        return frame.rest(of: number, without: seen).filter {
            Double($0.area) >= least && min($0.box.width, $0.box.height) >= Self.leastRestSide
        }.map { Sighting(box: $0.box, contrast: region.contrast) }
    }

    /// Whether a piece is what is seen of a thing that is mostly hidden, more of one that is coming into the picture, or a part of
    /// one: then it is joined to that.
    private func join(_ piece: Sighting, to places: inout [Place], _ parts: [Thing], in frame: MarkedFrame) -> Bool {
        let hidden = places.firstIndex {
            $0.support < Self.leastSupport && $0.thing.box.overlaps(piece.box, by: Self.leastCover)
        }
        if let hidden {
            places[hidden].support = 1
            return true
        }
        let part = parts.first { $0.box.overlaps(piece.box, by: Self.leastCover) }
        let whole = places.firstIndex { place in
            place.thing.likeness?.isOpen(towards: piece.box, from: place.thing.box, in: frame) ?? false
                || part.map { !differ(place.thing, $0) } ?? false
        }
        guard let whole else { return false }
        let box = places[whole].thing.box.union(piece.box)
        places[whole].thing.box = box
        places[whole].thing.likeness = Likeness(of: box, in: frame)
        return true
    }

    /// Where a thing is within a region that it shares with others, and how much of it is to be seen.
    private func place(_ thing: Thing, within region: Box, elapsed: Double, in frame: MarkedFrame) -> Place {
        let step = elapsed * max(abs(thing.velocityX), abs(thing.velocityY))
        guard let (box, support) = thing.likeness?.find(near: thing.box, step: step, in: frame),
            support >= Self.leastSupport
        else { return Place(thing: goOn(thing, within: region, elapsed: elapsed), support: 0) }
        var next = thing
        next.age += elapsed
        next.box = box
        turn(&next, by: (box.centerX - thing.box.centerX, box.centerY - thing.box.centerY), elapsed: elapsed)
        return Place(thing: next, support: support)
    }

    /// Whether two things go different ways, so that they are not parts of one.
    private func differ(_ a: Thing, _ b: Thing) -> Bool {
        let speed =
            ((a.velocityX - b.velocityX) * (a.velocityX - b.velocityX)
            + (a.velocityY - b.velocityY) * (a.velocityY - b.velocityY)).squareRoot()
        return speed > 0.3 * min(a.box.area, b.box.area).squareRoot()
    }

    /// Moves a foreseen box so that it lies within the region, and against those of its sides that it is near to and moves
    /// towards.
    private func align(_ thing: Thing, within region: Box) -> Box {
        func shift(
            _ low: Double, _ high: Double, _ regionLow: Double, _ regionHigh: Double, _ velocity: Double
        ) -> Double {
            let near = 0.15 * (high - low)
            let (toLow, toHigh) = (regionLow - low, regionHigh - high)
            if toLow > 0, toHigh < 0 { return (toLow + toHigh) / 2 }
            if toLow > 0 || -toLow < near && velocity < 0 { return toLow }
            return toHigh < 0 || toHigh < near && velocity > 0 ? toHigh : 0
        }
        let box = thing.box
        return box.offset(
            x: shift(box.minX, box.maxX, region.minX, region.maxX, thing.velocityX),
            y: shift(box.minY, box.maxY, region.minY, region.maxY, thing.velocityY))
    }

    private func isWhole(_ thing: Thing) -> Bool {
        thing.age >= Self.knownAfter && thing.mergedFor == 0 && thing.brokenFor < Self.togetherFor
    }

    /// Puts regions together again that were one well known thing a moment ago and still fill its place.
    private func rejoin(
        _ regions: [Sighting], _ foreseen: [Thing]
    ) -> [Sighting] {
        var regions = regions
        for thing in foreseen where isWhole(thing) {
            let parts = regions.indices.filter { index in
                let box = regions[index].box
                return box.intersection(thing.box).area > 0.7 * box.area
            }
            guard parts.count > 1, let first = parts.first else { continue }
            let whole = parts.dropFirst().reduce(regions[first].box) { $0.union(regions[$1].box) }
            guard whole.iou(thing.box) > 0.7 else { continue }
            let contrast = parts.map { regions[$0].contrast }.max() ?? regions[first].contrast
            regions[first] = Sighting(box: whole, contrast: contrast, isBroken: true)
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
