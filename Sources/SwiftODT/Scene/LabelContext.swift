/// Withholds labels that are implausible beside the other objects of a stream: a refrigerator among cars.
///
/// Counts the tracks of the last seconds with labels of streets and with labels of homes. A label of one kind is withheld
/// if at least two tracks of the other kind are present, and more than twice as many as other tracks of its own kind.
struct LabelContext {
    private enum Kind { case street, home }

    /// By track id.
    private var seen: [Int: (kind: Kind, time: Nanoseconds)] = [:]

    /// Notes the labels of the tracks, and removes implausible ones.
    mutating func apply(to tracks: inout [Track], at time: Nanoseconds) {
        for track in tracks where track.state == .tracked {
            guard let id = track.id, let label = track.label, let kind = Self.kinds[label.text.lowercased()] else {
                continue
            }
            seen[id] = (kind, time)
        }
        guard !seen.isEmpty else { return }
        seen = seen.filter { time - $0.value.time <= Self.memory }
        for index in tracks.indices {
            guard let label = tracks[index].label, let kind = Self.kinds[label.text.lowercased()] else { continue }
            let others = seen.filter { $0.key != tracks[index].id }.values
            let same = others.count { $0.kind == kind }
            if others.count - same > max(1, 2 * same) { tracks[index].label = nil }
        }
    }

    mutating func reset() { seen.removeAll() }

    private static let memory: Nanoseconds = 10_000_000_000

    /// The kind of each lower-case label. People and animals are in streets and homes.
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
