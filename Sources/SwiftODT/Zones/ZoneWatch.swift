/// Knows who is in which zone, and counts who came, went and crossed.
///
/// An object counts where it has been seen, not where it is thought to be while it is hidden: who walks behind a pillar and comes
/// out beyond a line has crossed it then. Nobody counts twice for trembling on an edge: a side is changed by going clearly
/// beyond the edge, an eighth of the object's own size, or by staying there for a second. Who takes another id (an object that was
/// lost and is found again nearby within two seconds) goes on as the one who was there before.
///
/// Costs some dozen operations for each object and each edge of a zone, a frame.
struct ZoneWatch {
    typealias Place = ZoneShape.Place

    /// The picture as it is seen, and how it lies in the buffer.
    struct Picture: Hashable {
        var width: Int
        var height: Int
        var orientation: Orientation
    }

    private static let patience: Nanoseconds = 2_000_000_000
    private static let settling: Nanoseconds = 1_000_000_000

    /// Those that are watched: all but the ignored ones.
    private let zones: [Zone]
    private let ignored: [Zone]
    private(set) var counts: [ZoneCount]

    private var picture = Picture(width: 0, height: 0, orientation: .identity)
    private var size = Place(0, 0)
    private var shapes: [ZoneShape] = []
    private var ignoredShapes: [ZoneShape] = []
    private var visitors: [Int: Visitor] = [:]
    private var events: [ZoneEvent] = []

    init(_ zones: [Zone]) {
        self.zones = zones.filter { $0.kind != .ignore }
        ignored = zones.filter { $0.kind == .ignore }
        counts = self.zones.map { ZoneCount(name: $0.name, kind: $0.kind) }
    }

    /// Somebody whose way is followed.
    private struct Visitor {
        var id: Int
        var label: Label?
        /// Upright.
        var box: Box
        var lastSeen: Nanoseconds
        /// One for each zone.
        var stays: [Stay]
    }

    /// How somebody stands to one zone.
    private struct Stay {
        /// Since when inside; `nil` outside.
        var since: Nanoseconds?
        var isDwellTold = false
        /// Since when on the other side of the edge, but not clearly.
        var wavering: Nanoseconds?
        /// Where the object was when it was last clear on which side of a line it is.
        var clear: Place?
        /// The label it was counted with.
        var label: Label?
        /// Crossings of a line with labels from before the object had one: they count once it has.
        var undecided: [(direction: Zone.Direction, time: Nanoseconds)] = []
    }

    /// The picture that all that follows is about.
    mutating func look(at picture: Picture) {
        guard picture != self.picture else { return }
        self.picture = picture
        let turned = picture.orientation.swapsAxes
        size = Place(Double(turned ? picture.height : picture.width), Double(turned ? picture.width : picture.height))
        func shape(_ zone: Zone) -> ZoneShape { ZoneShape(zone, width: size.x, height: size.y) }
        (shapes, ignoredShapes) = (zones.map(shape), ignored.map(shape))
        // Another picture: places in the old one say nothing.
        for id in visitors.keys {
            for index in zones.indices { visitors[id]?.stays[index].clear = nil }
        }
    }

    /// Whether a detection lies where nobody looks.
    func ignores(_ detection: Detection) -> Bool {
        guard !ignored.isEmpty else { return false }
        let box = upright(detection.box)
        return zip(ignored, ignoredShapes).contains { zone, shape in
            zone.concerns(detection.label) && shape.contains(anchor(zone.anchor, of: box))
        }
    }

    /// Takes in where objects are now.
    mutating func follow(_ tracks: [Track], at now: Nanoseconds) {
        guard !zones.isEmpty else { return }
        let visible = tracks.filter { $0.state == .new || $0.state == .tracked }
        let visibleIDs = Set(visible.lazy.compactMap(\.id))
        for track in visible {
            guard let id = track.id else { continue }
            let box = upright(track.box)
            var visitor =
                visitors.removeValue(forKey: id) ?? takeUp(box, track.label, unlessIn: visibleIDs, at: now)
                ?? newcomer(id, at: box)
            (visitor.id, visitor.label, visitor.box, visitor.lastSeen) = (id, track.label, box, now)
            for index in zones.indices { pass(zones[index], index, &visitor, now) }
            visitors[id] = visitor
        }
        let present = Set(tracks.lazy.filter { $0.state != .lost }.compactMap(\.id))
        for (id, visitor) in visitors.sorted(by: { $0.key < $1.key })
        where now - visitor.lastSeen > Self.patience && !present.contains(id) {
            dismiss(visitor)
        }
    }

    /// The same without ids: there is no coming and going then, but there is somebody in an area now.
    mutating func count(_ objects: [Track]) {
        for (index, zone) in zones.enumerated() where zone.kind == .area {
            counts[index] = ZoneCount(name: zone.name, kind: zone.kind)
            for object in objects where zone.concerns(object.label) {
                guard shapes[index].contains(anchor(zone.anchor, of: upright(object.box))) else { continue }
                counts[index].count(object.label) { $0.count += 1 }
            }
        }
    }

    /// Everybody has gone. What was counted stays.
    mutating func reset() {
        for (_, visitor) in visitors.sorted(by: { $0.key < $1.key }) { dismiss(visitor) }
        visitors = [:]
    }

    mutating func takeEvents() -> [ZoneEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }
}

// MARK: - Who it is

extension ZoneWatch {
    private func newcomer(_ id: Int, at box: Box) -> Visitor {
        Visitor(id: id, box: box, lastSeen: 0, stays: zones.map { _ in Stay() })
    }

    /// The visitor that a new track continues: the nearest one that is not visible and was last seen within reach.
    ///
    /// - Parameter visible: the ids of all visible tracks, later ones in the frame's list included.
    private mutating func takeUp(
        _ box: Box, _ label: Label?, unlessIn visible: Set<Int>, at now: Nanoseconds
    ) -> Visitor? {
        func distance(_ visitor: Visitor) -> Double {
            let (dx, dy) = (visitor.box.centerX - box.centerX, visitor.box.centerY - box.centerY)
            return (dx * dx + dy * dy).squareRoot()
        }
        let reach = (box.width * box.height).squareRoot()
        let missing = visitors.values.filter {
            !visible.contains($0.id) && now - $0.lastSeen <= Self.patience
                && ($0.label?.text ?? "") == (label?.text ?? "") && distance($0) < reach
        }
        guard let nearest = missing.min(by: { (distance($0), $0.id) < (distance($1), $1.id) }) else { return nil }
        return visitors.removeValue(forKey: nearest.id)
    }

    private mutating func dismiss(_ visitor: Visitor) {
        visitors[visitor.id] = nil
        for index in zones.indices { leave(zones[index], index, visitor.stays[index], visitor, at: visitor.lastSeen) }
    }
}

// MARK: - Where they are

extension ZoneWatch {
    private func upright(_ box: Box) -> Box {
        let (width, height) = (Double(picture.width), Double(picture.height))
        return picture.orientation.upright(
            box.clipped(width: picture.width, height: picture.height), bufferWidth: width, bufferHeight: height)
    }

    /// Just inside the picture, so that who stands on its border is in the area that ends there.
    private func anchor(_ anchor: Zone.Anchor, of box: Box) -> Place {
        let place = Place(box.centerX, anchor == .bottom ? box.maxY : box.centerY)
        return place.clamped(lowerBound: 0.001 * size, upperBound: 0.999 * size)
    }

    private mutating func pass(_ zone: Zone, _ index: Int, _ visitor: inout Visitor, _ now: Nanoseconds) {
        let place = anchor(zone.anchor, of: visitor.box)
        let isClear = shapes[index].distance(to: place) > (visitor.box.width + visitor.box.height) / 16
        if zone.kind == .line {
            cross(zone, index, &visitor, to: place, isClear: isClear, now)
        } else {
            stay(zone, index, &visitor, isInside: shapes[index].contains(place), isClear: isClear, now)
        }
    }

    private mutating func stay(
        _ zone: Zone, _ index: Int, _ visitor: inout Visitor, isInside: Bool, isClear: Bool, _ now: Nanoseconds
    ) {
        var stay = visitor.stays[index]
        defer { visitor.stays[index] = stay }
        if isInside == (stay.since != nil) {
            stay.wavering = nil
        } else {
            let since = stay.wavering ?? now
            stay.wavering = since
            guard isClear || now - since >= Self.settling else { return }
            stay.wavering = nil
            if isInside {
                guard zone.concerns(visitor.label) else { return }
                stay.since = since
                stay.label = visitor.label
                stay.isDwellTold = false
                counts[index].count(stay.label) { figures in
                    figures.count += 1
                    figures.entered += 1
                }
                tell(.enter, zone, visitor, stay, at: since)
            } else {
                leave(zone, index, stay, visitor, at: since)
                stay.since = nil
            }
        }
        if let since = stay.since, let least = zone.minTime, !stay.isDwellTold, now - since >= least {
            stay.isDwellTold = true
            tell(.dwell, zone, visitor, stay, at: now)
        }
    }

    private mutating func leave(_ zone: Zone, _ index: Int, _ stay: Stay, _ visitor: Visitor, at time: Nanoseconds) {
        guard stay.since != nil else { return }
        counts[index].count(stay.label) { figures in
            figures.count -= 1
            figures.left += 1
        }
        tell(.leave, zone, visitor, stay, at: time)
    }

    private mutating func cross(
        _ zone: Zone, _ index: Int, _ visitor: inout Visitor, to place: Place, isClear: Bool, _ now: Nanoseconds
    ) {
        if visitor.label != nil {
            for crossing in visitor.stays[index].undecided {
                count(crossing.direction, of: zone, index, visitor, at: crossing.time)
            }
            visitor.stays[index].undecided = []
        }
        guard let from = visitor.stays[index].clear else { return visitor.stays[index].clear = place }
        let crossings = shapes[index].crossings(from: from, to: place)
        guard crossings != 0 else {
            visitor.stays[index].wavering = nil
            if isClear { visitor.stays[index].clear = place }
            return
        }
        let since = visitor.stays[index].wavering ?? now
        visitor.stays[index].wavering = since
        guard isClear || now - since >= Self.settling else { return }
        visitor.stays[index].wavering = nil
        visitor.stays[index].clear = place
        let direction: Zone.Direction = crossings > 0 ? .in : .out
        if visitor.label == nil, !zone.labels.isEmpty {
            visitor.stays[index].undecided.append((direction, since))
        } else {
            count(direction, of: zone, index, visitor, at: since)
        }
    }

    /// Counts a crossing if the zone's labels include the visitor's.
    private mutating func count(
        _ direction: Zone.Direction, of zone: Zone, _ index: Int, _ visitor: Visitor, at time: Nanoseconds
    ) {
        guard zone.concerns(visitor.label) else { return }
        counts[index].count(visitor.label) { figures in
            if direction == .in { figures.in += 1 } else { figures.out += 1 }
        }
        events.append(
            ZoneEvent(
                kind: .cross, zone: zone.name, id: visitor.id, label: visitor.label, direction: direction, time: time))
    }

    private mutating func tell(
        _ kind: ZoneEvent.Kind, _ zone: Zone, _ visitor: Visitor, _ stay: Stay, at time: Nanoseconds
    ) {
        events.append(
            ZoneEvent(
                kind: kind, zone: zone.name, id: visitor.id, label: visitor.label,
                dwell: stay.since.map { time - $0 }, time: time))
    }
}
