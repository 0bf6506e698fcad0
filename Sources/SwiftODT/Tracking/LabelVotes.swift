/// What a track is called: a name once it has twice the weight of every other, until another has more.
///
/// Every sighting votes with its score, and votes fade within seconds, so that an odd answer does not rename an object and
/// a lasting change does. Where names contend, with none of them clear, there is none: better no name than a wrong one.
struct LabelVotes: Sendable {
    private struct Candidate {
        var label: Label?
        var weight = 0.0
    }

    /// The heaviest first. Names beyond push out the lightest.
    private var candidates = InlineArray<3, Candidate>(repeating: Candidate())
    private var isClear = false

    /// The name; `nil` where there is none, or none that is clear.
    var winner: Label? { isClear ? candidates[0].label : nil }
    /// The index of the name that most speaks for, clear or not; -1 where there is none.
    private(set) var leaderIndex = -1

    /// Whether any of the names that it has been given lately is such.
    func contains(where isMeant: (Label) -> Bool) -> Bool {
        candidates.indices.contains { candidates[$0].label.map(isMeant) ?? false }
    }

    /// - Parameter time: since the vote before.
    mutating func vote(_ label: Label?, weight: Double, after time: Nanoseconds) {
        let left = Self.memory / (Self.memory + max(0, Double(time) / 1e9))
        for place in candidates.indices { candidates[place].weight *= left }
        guard let label else { return }
        let leader = candidates[0].label
        count(label, weight)
        for place in candidates.indices.dropFirst() where candidates[place].weight > candidates[0].weight {
            candidates.swapAt(0, place)
        }
        leaderIndex = candidates[0].label?.index ?? -1
        let isSame = candidates[0].label == leader
        isClear = (isClear && isSame) || candidates[0].weight >= 2 * max(candidates[1].weight, candidates[2].weight)
    }

    private mutating func count(_ label: Label, _ weight: Double) {
        var lightest = 0
        for place in candidates.indices {
            if candidates[place].label == label {
                candidates[place].weight += weight
                return
            }
            if candidates[place].weight < candidates[lightest].weight { lightest = place }
        }
        if candidates[lightest].weight < weight { candidates[lightest] = Candidate(label: label, weight: weight) }
    }

    /// Seconds after which an older vote counts half as much.
    private static let memory = 2.0
}
