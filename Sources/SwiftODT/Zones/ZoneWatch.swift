/// Determines which objects are in which zones, and counts entries, exits and crossings.
///
/// The position of an object counts only while the object is detected. An object that walks behind a pillar and
/// reappears beyond a line crosses the line when it reappears.
///
/// Two rules prevent double counts. First, an object that jitters on an edge does not change sides immediately. It must
/// stay on the other side for 1 s, or its distance from the edge must exceed 1/16 of the sum of its width and height.
/// Each change of sides within this distance doubles the time. It is 1 s again as soon as the object exceeds the distance.
/// Second, a new track takes over the state of a track that was lost nearby within the last 2 s (re-identification).
///
/// The cost per frame is proportional to the number of objects and zone edges.
struct ZoneWatch {
    typealias Place = ZoneShape.Place

    struct Picture: Hashable {
        var width: Int
        var height: Int
        var orientation: Orientation
    }

    /// A new track can continue an earlier track only within this time after the latest detection of the earlier track,
    /// in nanoseconds.
    private static let reentryTime: Nanoseconds = 2_000_000_000
    /// The initial value of ``ZonePresence/settling``.
    private static let settling: Nanoseconds = 1_000_000_000

    /// All zones except those of the kind `ignore`.
    private let zones: [Zone]
    private let ignored: [Zone]
    private(set) var counts: [ZoneCount]

    private var picture = Picture(width: 0, height: 0, orientation: .identity)
    private var size = Place(0, 0)
    private var shapes: [ZoneShape] = []
    private var ignoredShapes: [ZoneShape] = []
    private var zoneTracks: [Int: ZoneTrack] = [:]
    private var events: [ZoneEvent] = []

    init(_ zones: [Zone]) {
        self.zones = zones.filter { $0.kind != .ignore }
        ignored = zones.filter { $0.kind == .ignore }
        counts = self.zones.map { ZoneCount(name: $0.name, kind: $0.kind) }
    }

    private struct ZoneTrack {
        var id: Int
        var label: Label?
        /// The box in pixels of the upright picture.
        var box: Box
        /// The time of the first detection. A track that takes over the state keeps the value.
        let firstSeen: Nanoseconds
        var lastSeen: Nanoseconds
        var presences: [ZonePresence]
    }

    private struct ZonePresence {
        /// The time at which the object entered the area. `nil` while the object is outside.
        var since: Nanoseconds?
        var isDwellReported = false
        /// The time since which the object has been on the opposite side of the edge, although no change of sides has
        /// been recorded yet. The object is too close to the edge, or the zone is limited to some labels and the object
        /// has no label. The sides are the inside and the outside of an area, or the left and the right side of a line.
        /// `nil` while the object is on its recorded side.
        var uncertainSince: Nanoseconds?
        /// The time in nanoseconds for which an object close to the edge must stay on the other side before it changes
        /// sides.
        var settling = ZoneWatch.settling
        /// For a line, the latest position at which the object was clearly on one side.
        var clear: Place?
        /// The label with which the entry is counted.
        var label: Label?
        /// Crossings that cannot be counted yet, because the zone is limited to some labels and the object has no
        /// label.
        var undecided: [(direction: Zone.Direction, time: Nanoseconds)] = []
    }

    mutating func setPicture(at picture: Picture) {
        guard picture != self.picture else { return }
        self.picture = picture
        let turned = picture.orientation.swapsAxes
        size = Place(Double(turned ? picture.height : picture.width), Double(turned ? picture.width : picture.height))
        func shape(_ zone: Zone) -> ZoneShape { ZoneShape(zone, width: size.x, height: size.y) }
        (shapes, ignoredShapes) = (zones.map(shape), ignored.map(shape))
        // Positions in pictures of different sizes are not comparable.
        for id in zoneTracks.keys {
            for index in zones.indices { zoneTracks[id]?.presences[index].clear = nil }
        }
    }

    /// Returns whether a detection lies in a zone of the kind `ignore` that applies to its label.
    func ignores(_ detection: Detection) -> Bool {
        guard !ignored.isEmpty else { return false }
        let box = upright(detection.box)
        return zip(ignored, ignoredShapes).contains { zone, shape in
            zone.concerns(detection.label) && shape.contains(anchor(zone.anchor, of: box))
        }
    }

    /// Updates the counts with the tracks of a frame.
    ///
    /// - Parameter isTracked: whether the track with an id has not ended. A track that is not in `tracks` because its
    ///   object is occluded keeps its state in the zones until it ends.
    mutating func follow(_ tracks: [Track], at now: Nanoseconds, isTracked: (Int) -> Bool = { _ in false }) {
        guard !zones.isEmpty else { return }
        let visible = tracks.filter { $0.state == .new || $0.state == .tracked }
        let visibleIDs = Set(visible.lazy.compactMap(\.id))
        for track in visible {
            guard let id = track.id else { continue }
            let box = upright(track.box)
            var zoneTrack =
                zoneTracks.removeValue(forKey: id) ?? reidentify(box, track.label, unlessIn: visibleIDs, at: now)
                ?? ZoneTrack(
                    id: id, box: box, firstSeen: now, lastSeen: now, presences: zones.map { _ in ZonePresence() })
            (zoneTrack.id, zoneTrack.label, zoneTrack.box, zoneTrack.lastSeen) = (id, track.label, box, now)
            for index in zones.indices { pass(zones[index], index, &zoneTrack, now) }
            zoneTracks[id] = zoneTrack
        }
        let present = Set(tracks.lazy.filter { $0.state != .lost }.compactMap(\.id))
        for (id, zoneTrack) in zoneTracks.sorted(by: { $0.key < $1.key })
        where now - zoneTrack.lastSeen > Self.reentryTime && !present.contains(id) && !isTracked(id) {
            dismiss(zoneTrack)
        }
    }

    /// Counts the objects in areas if objects are not tracked. There are no events, because untracked objects have no
    /// ids.
    mutating func count(_ objects: [Track]) {
        for (index, zone) in zones.enumerated() where zone.kind == .area {
            counts[index] = ZoneCount(name: zone.name, kind: zone.kind)
            for object in objects where zone.concerns(object.label) {
                guard shapes[index].contains(anchor(zone.anchor, of: upright(object.box))) else { continue }
                counts[index].count(object.label) { $0.count += 1 }
            }
        }
    }

    /// Forgets all objects, with a `leave` event for each object in an area. The counts of entries, exits and crossings
    /// are kept.
    mutating func reset() {
        for (_, zoneTrack) in zoneTracks.sorted(by: { $0.key < $1.key }) { dismiss(zoneTrack) }
        zoneTracks = [:]
    }

    /// Returns the areas that an object is in, and the lines that it has crossed since the last ``takeEvents()``.
    func zones(of id: Int) -> [ZoneRelation] {
        guard let presences = zoneTracks[id]?.presences else { return [] }
        let areas = zones.indices.filter { presences[$0].since != nil }.map { ZoneRelation(zone: zones[$0].name) }
        return areas
            + events.filter { $0.kind == .cross && $0.id == id }
            .map { ZoneRelation(zone: $0.zone, direction: $0.direction) }
    }

    mutating func takeEvents() -> [ZoneEvent] { events.takeAll() }

    /// Continues the state of a track under another id, because its object had that id before. If both tracks are in an
    /// area, the stay of the earlier track continues.
    mutating func rename(_ id: Int, to earlierID: Int) {
        guard var zoneTrack = zoneTracks.removeValue(forKey: id) else { return }
        if let earlier = zoneTracks.removeValue(forKey: earlierID) {
            for index in zones.indices where earlier.presences[index].since != nil {
                let presence = zoneTrack.presences[index]
                if presence.since == nil {
                    leave(zones[index], index, earlier.presences[index], earlier, at: earlier.lastSeen)
                } else {
                    leave(zones[index], index, presence, zoneTrack, at: zoneTrack.lastSeen)
                    zoneTrack.presences[index] = earlier.presences[index]
                }
            }
        }
        zoneTrack.id = earlierID
        zoneTracks[earlierID] = zoneTrack
    }
}

// MARK: - Identity

extension ZoneWatch {
    /// Returns the track that a new track continues, or `nil`. The continued track must have the same label, and must
    /// have been detected recently and nearby. If there are several such tracks, the nearest one is returned.
    ///
    /// - Parameter visible: the ids of all visible tracks in the frame, including those that are processed after the
    ///   new track. Visible tracks are not continued.
    private mutating func reidentify(
        _ box: Box, _ label: Label?, unlessIn visible: Set<Int>, at now: Nanoseconds
    ) -> ZoneTrack? {
        func distance(_ zoneTrack: ZoneTrack) -> Double { zoneTrack.box.centerDistance(to: box) }
        let reach = (box.width * box.height).squareRoot()
        let missing = zoneTracks.values.filter {
            !visible.contains($0.id) && now - $0.lastSeen <= Self.reentryTime
                && ($0.label?.text ?? "") == (label?.text ?? "") && distance($0) < reach
        }
        guard let nearest = missing.min(by: { (distance($0), $0.id) < (distance($1), $1.id) }) else { return nil }
        return zoneTracks.removeValue(forKey: nearest.id)
    }

    private mutating func dismiss(_ zoneTrack: ZoneTrack) {
        zoneTracks[zoneTrack.id] = nil
        for index in zones.indices {
            leave(zones[index], index, zoneTrack.presences[index], zoneTrack, at: zoneTrack.lastSeen)
        }
    }
}

// MARK: - Position

extension ZoneWatch {
    private func upright(_ box: Box) -> Box {
        let (width, height) = (Double(picture.width), Double(picture.height))
        return picture.orientation.upright(
            box.clipped(width: picture.width, height: picture.height), bufferWidth: width, bufferHeight: height)
    }

    /// Returns the anchor point of a box. It is moved just inside the picture, so that objects at the border are inside
    /// an area that ends at the border.
    private func anchor(_ anchor: Zone.Anchor, of box: Box) -> Place {
        let place = Place(box.centerX, anchor == .bottom ? box.maxY : box.centerY)
        return place.clamped(lowerBound: 0.001 * size, upperBound: 0.999 * size)
    }

    private mutating func pass(_ zone: Zone, _ index: Int, _ zoneTrack: inout ZoneTrack, _ now: Nanoseconds) {
        let place = anchor(zone.anchor, of: zoneTrack.box)
        let isClear = shapes[index].distance(to: place) > (zoneTrack.box.width + zoneTrack.box.height) / 16
        if zone.kind == .line {
            cross(zone, index, &zoneTrack, to: place, isClear: isClear, now)
        } else {
            stay(zone, index, &zoneTrack, isInside: shapes[index].contains(place), isClear: isClear, now)
        }
        if isClear { zoneTrack.presences[index].settling = Self.settling }
    }

    private mutating func stay(
        _ zone: Zone, _ index: Int, _ zoneTrack: inout ZoneTrack, isInside: Bool, isClear: Bool, _ now: Nanoseconds
    ) {
        var stay = zoneTrack.presences[index]
        defer { zoneTrack.presences[index] = stay }
        // The label may become known during the stay. The entry is then counted for the label.
        if stay.since != nil, stay.label == nil, let label = zoneTrack.label {
            counts[index].count(nil) { figures in
                figures.count -= 1
                figures.entered -= 1
            }
            counts[index].count(label) { figures in
                figures.count += 1
                figures.entered += 1
            }
            stay.label = label
        }
        if isInside == (stay.since != nil) {
            stay.uncertainSince = nil
        } else {
            let since = stay.uncertainSince ?? now
            stay.uncertainSince = since
            guard isClear || now - since >= stay.settling else { return }
            // The label may become known later. The object then entered at ``ZonePresence/uncertainSince``.
            if isInside, zoneTrack.label == nil, !zone.labels.isEmpty { return }
            stay.uncertainSince = nil
            if isInside {
                guard zone.concerns(zoneTrack.label) else { return }
                stay.since = since
                stay.label = zoneTrack.label
                stay.isDwellReported = false
                counts[index].count(stay.label) { figures in
                    figures.count += 1
                    figures.entered += 1
                }
                emit(.enter, zone, zoneTrack, stay, at: since)
            } else {
                leave(zone, index, stay, zoneTrack, at: since)
                stay.since = nil
            }
            // An object that appears inside the area has not changed sides.
            if !isClear, since > zoneTrack.firstSeen { stay.settling *= 2 }
        }
        if let since = stay.since, let minimum = zone.minTime, !stay.isDwellReported, now - since >= minimum {
            stay.isDwellReported = true
            emit(.dwell, zone, zoneTrack, stay, at: now)
        }
    }

    private mutating func leave(
        _ zone: Zone, _ index: Int, _ stay: ZonePresence, _ zoneTrack: ZoneTrack, at time: Nanoseconds
    ) {
        guard stay.since != nil else { return }
        counts[index].count(stay.label) { figures in
            figures.count -= 1
            figures.left += 1
        }
        emit(.leave, zone, zoneTrack, stay, at: time)
    }

    private mutating func cross(
        _ zone: Zone, _ index: Int, _ zoneTrack: inout ZoneTrack, to place: Place, isClear: Bool, _ now: Nanoseconds
    ) {
        if zoneTrack.label != nil {
            for crossing in zoneTrack.presences[index].undecided {
                count(crossing.direction, of: zone, index, zoneTrack, at: crossing.time)
            }
            zoneTrack.presences[index].undecided = []
        }
        guard let from = zoneTrack.presences[index].clear else { return zoneTrack.presences[index].clear = place }
        let crossings = shapes[index].crossings(from: from, to: place)
        guard crossings != 0 else {
            zoneTrack.presences[index].uncertainSince = nil
            if isClear { zoneTrack.presences[index].clear = place }
            return
        }
        let since = zoneTrack.presences[index].uncertainSince ?? now
        zoneTrack.presences[index].uncertainSince = since
        guard isClear || now - since >= zoneTrack.presences[index].settling else { return }
        zoneTrack.presences[index].uncertainSince = nil
        if !isClear { zoneTrack.presences[index].settling *= 2 }
        zoneTrack.presences[index].clear = place
        let direction: Zone.Direction = crossings > 0 ? .in : .out
        if zoneTrack.label == nil, !zone.labels.isEmpty {
            zoneTrack.presences[index].undecided.append((direction, since))
        } else {
            count(direction, of: zone, index, zoneTrack, at: since)
        }
    }

    private mutating func count(
        _ direction: Zone.Direction, of zone: Zone, _ index: Int, _ zoneTrack: ZoneTrack, at time: Nanoseconds
    ) {
        guard zone.concerns(zoneTrack.label) else { return }
        counts[index].count(zoneTrack.label) { figures in
            if direction == .in { figures.in += 1 } else { figures.out += 1 }
        }
        emit(.cross, zone, zoneTrack, direction: direction, at: time)
    }

    private mutating func emit(
        _ kind: ZoneEvent.Kind, _ zone: Zone, _ zoneTrack: ZoneTrack, _ stay: ZonePresence? = nil,
        direction: Zone.Direction? = nil, at time: Nanoseconds
    ) {
        events.append(
            ZoneEvent(
                kind: kind, zone: zone.name, id: zoneTrack.id, label: stay?.label ?? zoneTrack.label,
                direction: direction, dwell: stay?.since.map { time - $0 }, time: time))
    }
}
