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
    }

    /// A region of the present frame.
    struct Sighting {
        var box: Box
        var contrast: Double
        /// Whether it has been put together from several.
        var isBroken = false
    }

    private(set) var things: [Thing] = []

    /// Share of a thing's foreseen box that a region has to cover to be it.
    private static let leastCover = 0.5
    /// Seconds after which a thing is known well enough to be kept apart from others.
    private static let knownAfter = 0.4
    /// Seconds for which things are kept apart within one region.
    private static let apartFor = 2.0
    /// Seconds for which the parts of a thing are taken for one.
    private static let togetherFor = 0.4
    /// Seconds over which a velocity is measured.
    private static let velocityTime = 0.25

    /// Takes in the regions of a frame, `elapsed` seconds after the one before.
    mutating func advance(_ regions: [Sighting], elapsed: Double) {
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
            if let apart = keepApart(known, within: region, elapsed: elapsed) {
                next += apart
            } else {
                next.append(follow(known.max { $0.age < $1.age }, to: region, elapsed: elapsed))
            }
        }
        things = next
    }

    mutating func forget() { things = [] }

    /// One thing has become one region: its velocity and age grow.
    private func follow(
        _ thing: Thing?, to region: Sighting, elapsed: Double
    ) -> Thing {
        guard let thing else { return Thing(box: region.box, contrast: region.contrast) }
        var next = Thing(box: region.box, contrast: region.contrast)
        next.age = thing.age + elapsed
        next.brokenFor = region.isBroken ? thing.brokenFor + elapsed : 0
        guard elapsed > 0 else { return next }
        let share = max(elapsed / (elapsed + Self.velocityTime), elapsed / max(next.age, elapsed))
        next.velocityX = thing.velocityX + share * (region.box.centerX - thing.box.centerX) / elapsed
        next.velocityY = thing.velocityY + share * (region.box.centerY - thing.box.centerY) / elapsed
        return next
    }

    /// Several well known things that go different ways have become one region: each goes on as it was, within the region.
    private func keepApart(_ known: [Thing], within region: Sighting, elapsed: Double) -> [Thing]? {
        guard known.count > 1, known.allSatisfy({ $0.age >= Self.knownAfter && $0.mergedFor < Self.apartFor }) else {
            return nil
        }
        for (i, a) in known.enumerated() {
            for b in known[(i + 1)...] where !differ(a, b) { return nil }
        }
        return known.map { thing in
            var thing = thing
            thing.age += elapsed
            thing.mergedFor += elapsed
            thing.box = align(thing, within: region.box)
            return thing
        }
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
