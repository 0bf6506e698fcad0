/// What a track is called: every sighting votes with its score, older votes fade, so that one odd answer does not
/// rename an object and a lasting change does.
struct LabelVotes: Sendable {
    private var leader: Label?
    private var leaderWeight = 0.0
    private var challenger: Label?
    private var challengerWeight = 0.0

    var winner: Label? { leader }
    /// Its index, -1 where there is none.
    private(set) var winnerIndex = -1

    mutating func vote(_ label: Label?, weight: Double) {
        leaderWeight *= 0.9
        challengerWeight *= 0.9
        guard let label else { return }
        if leader == nil || label == leader {
            leader = label
            winnerIndex = label.index
            leaderWeight += weight
        } else if label == challenger {
            challengerWeight += weight
        } else if challengerWeight < weight {
            (challenger, challengerWeight) = (label, weight)
        }
        if challengerWeight > leaderWeight {
            swap(&leader, &challenger)
            swap(&leaderWeight, &challengerWeight)
            winnerIndex = leader?.index ?? -1
        }
    }
}
