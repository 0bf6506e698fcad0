/// Removes labels that do not fit the other objects of a stream, such as a refrigerator among cars.
///
/// Some labels belong to street scenes, others to homes. docs/tracking.md describes when the label of a track is
/// removed. Tracks with removed labels also count.
struct LabelContext {
    private enum Kind { case street, home }

    /// The number of counted tracks of a kind, and of those in the latest frame.
    private struct Count {
        var all = 0
        var visible = 0

        mutating func add(_ number: Int, _ isVisible: Bool) {
            all += number
            if isVisible { visible += number }
        }
    }

    /// The kind and the latest time of each counted track, by track id.
    private var seen: [Int: (kind: Kind, time: Nanoseconds)] = [:]

    mutating func withholdImplausibleLabels(of tracks: inout [Track], at time: Nanoseconds) {
        for track in tracks where track.state == .tracked {
            guard let id = track.id, let kind = Self.kind(of: track) else { continue }
            seen[id] = (kind, time)
        }
        guard !seen.isEmpty else { return }
        for (id, entry) in seen where time - entry.time > Self.memory { seen[id] = nil }
        var (streets, homes) = (Count(), Count())
        for entry in seen.values {
            if entry.kind == .street { streets.add(1, entry.time == time) } else { homes.add(1, entry.time == time) }
        }
        for index in tracks.indices {
            guard let kind = Self.kind(of: tracks[index]) else { continue }
            var (same, others) = kind == .street ? (streets, homes) : (homes, streets)
            if let own = tracks[index].id.flatMap({ seen[$0] }) {
                if own.kind == kind { same.add(-1, own.time == time) } else { others.add(-1, own.time == time) }
            }
            // If all other visible objects have this kind, the camera has probably turned to another scene, and the
            // label stays.
            let isOtherScene = same.visible > 0 && others.visible == 0
            if others.all > max(1, 2 * same.all), !isOtherScene { tracks[index].label = nil }
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
