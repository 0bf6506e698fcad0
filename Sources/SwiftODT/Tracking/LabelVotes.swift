/// Decides the label of a track by vote.
///
/// Each detection votes for its label, and votes decay within seconds. A single wrong label therefore does not rename
/// an object, but a lasting change does. A label wins when it has twice the weight of every other label. The winner
/// stays until another label has more weight. Without a clear winner the track has no label. If the detector has a
/// second label for the same box, both labels get votes.
struct LabelVotes: Sendable {
    private struct Candidate {
        var label: Label?
        var weight = 0.0
    }

    private struct Candidates {
        private var all = (Candidate(), Candidate(), Candidate())

        var indices: Range<Int> { 0..<3 }

        subscript(index: Int) -> Candidate {
            get { index == 0 ? all.0 : index == 1 ? all.1 : all.2 }
            set {
                switch index {
                case 0: all.0 = newValue
                case 1: all.1 = newValue
                default: all.2 = newValue
                }
            }
        }
    }

    /// The candidate with the most weight comes first. A new label replaces the lightest candidate if that has less
    /// weight.
    private var candidates = Candidates()
    private var isClear = false

    /// The winning label. `nil` if there is no clear winner.
    var winner: Label? { isClear ? candidates[0].label : nil }
    /// The index of the label with the most weight, whether it is a clear winner or not. -1 if no detection had a
    /// label.
    private(set) var leaderIndex = -1

    /// Returns whether any of the recent labels satisfies the condition.
    func contains(where isMeant: (Label) -> Bool) -> Bool {
        candidates.indices.contains { candidates[$0].label.map(isMeant) ?? false }
    }

    /// The labels of one detection.
    struct Ballot {
        /// With `nil`, earlier votes only decay.
        var label: Label?
        var weight: Double
        /// The second label of the same box.
        var rival: Label?
        var rivalWeight = 0.0
    }

    /// Adds the votes of a detection.
    ///
    /// - Parameters:
    ///   - magnification: the magnification of the inferred region, which multiplies the weights.
    ///   - time: the time since the previous vote.
    mutating func vote(_ ballot: Ballot, magnification: Double = 1, after time: Nanoseconds) {
        let left = Self.memory / (Self.memory + max(0, Double(time) / 1e9))
        for place in candidates.indices { candidates[place].weight *= left }
        guard let label = ballot.label else { return }
        let leader = candidates[0].label
        count(label, ballot.weight * magnification)
        if let rival = ballot.rival { count(rival, ballot.rivalWeight * magnification) }
        for place in candidates.indices.dropFirst() where candidates[place].weight > candidates[0].weight {
            (candidates[0], candidates[place]) = (candidates[place], candidates[0])
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

    /// The time constant of the decay, in seconds.
    private static let memory = 2.0
}
