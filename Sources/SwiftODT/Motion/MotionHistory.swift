/// The moving objects of the previous frames. The history determines the age of each object. It also separates objects
/// that pass each other and therefore form one region, called a "shared region".
///
/// An object is "known" if its age is at least ``knownAfter``. Only known objects are located within a shared region. A
/// "remainder" is a part of a shared region that no located object covers.
struct MotionHistory {
    /// A moving object, in plane pixels.
    struct MovingObject {
        var box: Box
        /// The contrast with the background, 0 to 1.
        var contrast: Double
        /// The velocity in plane pixels per second.
        var velocityX = 0.0
        var velocityY = 0.0
        /// The time since the first detection, in seconds.
        var age = 0.0
        /// How long the position of the object was extrapolated within a shared region, in seconds.
        var mergedFor = 0.0
        /// The appearance of the object when it last had a region of its own.
        var template: ObjectTemplate?
    }

    struct RegionObservation {
        var box: Box
        var contrast: Double
        /// The index of the region in the frame's labeler. `nil` for a part of a region.
        var region: Int?
    }

    /// The position of an object within a shared region, and the visible fraction of the object at this position, 0 to
    /// 1.
    private struct Placement {
        var object: MovingObject
        var support: Double
    }

    private(set) var objects: [MovingObject] = []

    /// An object belongs to a region only if the region covers at least this fraction of the object's predicted box.
    private static let minimumCover = 0.5
    /// The minimum age of a known object, in seconds.
    private static let knownAfter = 0.4
    /// An object remains separate from the other objects in a shared region only while ``MovingObject/mergedFor`` is
    /// below this value, in seconds.
    private static let separatedFor = 2.0
    /// An object of at least this age in seconds is never a part of another object, even if both have the same
    /// velocity.
    private static let independentAfter = 1.0
    /// The position of an object within a region counts as found only if at least this fraction of the object is
    /// visible.
    private static let minimumSupport = 0.35
    /// Replaces ``minimumSupport`` if the object shares its region only with unknown objects. The value is higher,
    /// because a wrong position would create a false object beside the known object.
    private static let minimumSupportBesideUnknown = 0.55
    /// A known object counts as touching another object if the area of the object's region grows by at least this
    /// factor from one frame to the next.
    private static let minimumGrowth = 1.35
    /// A remainder is what is left of a moving region without its known objects. It becomes an object only if its area
    /// is at least this fraction of the smallest known object in the region.
    private static let minimumRemainder = 0.25
    /// The minimum area in pixels of a remainder. Smaller remainders are rims of the known objects.
    private static let minimumRemainderArea = 12.0
    private static let minimumRemainderSide = 4.0
    /// The time constant of the velocity estimate, in seconds.
    private static let velocityTime = 0.25

    /// Updates the objects with the regions of the next frame. Without `frame`, the positions of objects within a
    /// shared region are extrapolated.
    mutating func advance(_ regions: [RegionObservation], elapsed: Double, in frame: LabeledFrame? = nil) {
        let predicted = objects.map { object in
            var object = object
            object.box = object.box.offset(x: object.velocityX * elapsed, y: object.velocityY * elapsed)
            return object
        }
        var next: [MovingObject] = []
        var claims = [[Int]](repeating: [], count: regions.count)
        for (index, object) in predicted.enumerated() {
            // An object belongs to the region that covers most of its box.
            let covers = regions.map { object.box.intersection($0.box).area / max(object.box.area, 1e-9) }
            if let best = covers.indices.max(by: { covers[$0] < covers[$1] }), covers[best] >= Self.minimumCover {
                claims[best].append(index)
            }
        }
        for (region, claimed) in zip(regions, claims) {
            let known = claimed.map { predicted[$0] }
            if let separated = divide(region, among: known, elapsed: elapsed, in: frame) {
                next += separated
            } else {
                next.append(follow(known.max { $0.age < $1.age }, to: region, elapsed: elapsed, in: frame))
            }
        }
        objects = next
    }

    mutating func forget() { objects = [] }

    /// Updates an object with a region of its own. `object` is at its predicted position. If `object` is `nil`, creates
    /// a new object.
    private func follow(
        _ object: MovingObject?, to region: RegionObservation, elapsed: Double, in frame: LabeledFrame?
    ) -> MovingObject {
        var next = MovingObject(box: region.box, contrast: region.contrast)
        next.template = frame.map { ObjectTemplate(of: region.box, in: $0) }
        guard let object else { return next }
        next.age = object.age + elapsed
        (next.velocityX, next.velocityY) = (object.velocityX, object.velocityY)
        turn(
            &next, by: (region.box.centerX - object.box.centerX, region.box.centerY - object.box.centerY),
            elapsed: elapsed)
        return next
    }

    /// Corrects the velocity of an object. `displacement` is the offset from the predicted to the measured position, in
    /// pixels.
    private func turn(_ object: inout MovingObject, by displacement: (x: Double, y: Double), elapsed: Double) {
        guard elapsed > 0 else { return }
        let share = max(elapsed / (elapsed + Self.velocityTime), elapsed / max(object.age, elapsed))
        object.velocityX += share * displacement.x / elapsed
        object.velocityY += share * displacement.y / elapsed
    }

    /// Separates the objects in a region. Returns `nil` if the region is a single object.
    ///
    /// Objects are separated in two cases: several known objects with different velocities share the region, or the
    /// region of one known object has grown suddenly, because the object has met another one. Remainders become objects
    /// of their own.
    private func divide(
        _ region: RegionObservation, among claimed: [MovingObject], elapsed: Double, in frame: LabeledFrame?
    ) -> [MovingObject]? {
        guard let frame else { return keepSeparate(claimed, elapsed: elapsed) }
        let (known, parts) = separateParts(
            claimed.filter { $0.age >= Self.knownAfter && $0.mergedFor < Self.separatedFor })
        guard let oldest = known.first else { return nil }
        if known.count == 1, !parts.isEmpty || region.box.area < Self.minimumGrowth * oldest.box.area { return nil }
        let places = known.map { place($0, elapsed: elapsed, in: frame) }
        if known.count == 1, places[0].support < Self.minimumSupportBesideUnknown { return nil }
        var young = claimed.filter { $0.age < Self.knownAfter }
        var others: [MovingObject] = []
        for piece in rest(of: region, without: places, in: frame) {
            let match = young.firstIndex { $0.box.intersection(piece.box).area >= Self.minimumCover * $0.box.area }
            others.append(follow(match.map { young.remove(at: $0) }, to: piece, elapsed: elapsed, in: frame))
        }
        return known.count + others.count > 1 ? places.map(\.object) + others : nil
    }

    /// Separates objects within a region by their predicted positions, if there is no image to locate them in.
    private func keepSeparate(_ known: [MovingObject], elapsed: Double) -> [MovingObject]? {
        guard known.count > 1, known.allSatisfy({ $0.age >= Self.knownAfter && $0.mergedFor < Self.separatedFor })
        else {
            return nil
        }
        for (i, a) in known.enumerated() {
            for b in known[(i + 1)...] where !differ(a, b) { return nil }
        }
        return known.map { extrapolate($0, elapsed: elapsed) }
    }

    /// Keeps the predicted position of an object that is not located within its region.
    private func extrapolate(_ object: MovingObject, elapsed: Double) -> MovingObject {
        var next = object
        next.age += elapsed
        next.mergedFor += elapsed
        return next
    }

    /// Separates whole objects from those that may be parts of an older object. The oldest object comes first.
    private func separateParts(_ objects: [MovingObject]) -> (wholes: [MovingObject], parts: [MovingObject]) {
        var (wholes, parts): ([MovingObject], [MovingObject]) = ([], [])
        for object in objects.sorted(by: { $0.age > $1.age }) {
            if object.age < Self.independentAfter, wholes.contains(where: { !differ($0, object) }) {
                parts.append(object)
            } else {
                wholes.append(object)
            }
        }
        return (wholes, parts)
    }

    /// Returns the parts of a region that the located objects do not cover and that are large enough to be objects.
    private func rest(of region: RegionObservation, without places: [Placement], in frame: LabeledFrame)
        -> [RegionObservation]
    {
        guard let number = region.region, let smallest = places.map(\.object.box.area).min() else { return [] }
        let minimum = max(Self.minimumRemainder * smallest, Self.minimumRemainderArea)
        let seen = places.filter { $0.support >= Self.minimumSupport }.map(\.object.box)
        return frame.rest(of: number, without: seen).filter {
            Double($0.area) >= minimum && min($0.box.width, $0.box.height) >= Self.minimumRemainderSide
        }.map { RegionObservation(box: $0.box, contrast: region.contrast) }
    }

    private func place(_ object: MovingObject, elapsed: Double, in frame: LabeledFrame) -> Placement {
        let step = elapsed * max(abs(object.velocityX), abs(object.velocityY))
        guard let (box, support) = object.template?.find(near: object.box, step: step, in: frame),
            support >= Self.minimumSupport
        else { return Placement(object: extrapolate(object, elapsed: elapsed), support: 0) }
        var next = object
        next.age += elapsed
        next.box = box
        turn(&next, by: (box.centerX - object.box.centerX, box.centerY - object.box.centerY), elapsed: elapsed)
        return Placement(object: next, support: support)
    }

    /// Returns whether the velocities of two objects differ, so that neither is a part of the other.
    private func differ(_ a: MovingObject, _ b: MovingObject) -> Bool {
        let speed =
            ((a.velocityX - b.velocityX) * (a.velocityX - b.velocityX)
            + (a.velocityY - b.velocityY) * (a.velocityY - b.velocityY)).squareRoot()
        return speed > 0.3 * min(a.box.area, b.box.area).squareRoot()
    }
}
