/// Removes labels that do not fit the other objects of a stream, such as a refrigerator among cars.
///
/// Some labels belong to street scenes, others to homes. docs/tracking.md describes when the label of a track is
/// removed. Tracks with removed labels also count.
struct LabelContext {
    private enum Kind { case street, home }

    /// The kind and the latest time of each counted track, by track id.
    private var seen: [Int: (kind: Kind, time: Nanoseconds)] = [:]

    mutating func withholdImplausibleLabels(of tracks: inout [Track], at time: Nanoseconds) {
        for track in tracks where track.state == .tracked {
            guard let id = track.id, let kind = Self.kind(of: track) else { continue }
            seen[id] = (kind, time)
        }
        guard !seen.isEmpty else { return }
        for (id, entry) in seen where time - entry.time > Self.memory { seen[id] = nil }
        for index in tracks.indices {
            guard let kind = Self.kind(of: tracks[index]) else { continue }
            let remaining = seen.filter { $0.key != tracks[index].id }.values
            let same = remaining.count { $0.kind == kind }
            guard remaining.count - same > max(1, 2 * same) else { continue }
            // If all other visible objects have this kind, the camera has probably turned to another scene, and the
            // label stays.
            let visible = remaining.filter { $0.time == time }
            if visible.isEmpty || visible.contains(where: { $0.kind != kind }) { tracks[index].label = nil }
        }
    }

    mutating func reset() { seen.removeAll() }

    private static let memory: Nanoseconds = 10_000_000_000

    private static func kind(of track: Track) -> Kind? { track.label.flatMap { kinds[$0.text.lowercased()] } }

    /// The kind of each lower-case label. People and animals have no kind, because they occur in streets and in homes.
    private static let kinds: [String: Kind] = {
        let groups = LabelGroups.standard
        let anywhere = (groups["people"] ?? []).union(groups["animals"] ?? [])
        var kinds: [String: Kind] = [:]
        for (name, kind) in [("street", Kind.street), ("home", .home)] {
            for label in (groups[name] ?? []).subtracting(anywhere) { kinds[label] = kind }
        }
        return kinds
    }()
}
