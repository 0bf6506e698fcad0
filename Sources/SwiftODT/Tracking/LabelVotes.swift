/// Decides the label of a track by vote. Votes decay, so only a lasting change of the label renames an object. A label
/// wins when it has twice the weight of every other label. It remains the winner until another one has more weight.
struct LabelVotes: Sendable {
    /// Three labels and their weights. The label with the most weight comes first. A new label replaces the label with
    /// the least weight if the vote for the new label has more weight.
    private var votes: ContiguousArray<(label: Label?, weight: Double)> = [(nil, 0), (nil, 0), (nil, 0)]
    private var isClear = false

    var winner: Label? { isClear ? votes[0].label : nil }
    /// The index of the label with the most weight, whether it wins or not. -1 if no detection had a label.
    private(set) var leaderIndex = -1

    func contains(where isMeant: (Label) -> Bool) -> Bool { votes.contains { $0.label.map(isMeant) ?? false } }

    /// Adds a vote and lets the earlier votes decay. `time` is the time since the previous vote.
    mutating func vote(_ label: Label?, weight: Double, after time: Nanoseconds) {
        let left = TrackerTuning.labelMemory / (TrackerTuning.labelMemory + max(0, Double(time) / 1e9))
        for index in votes.indices { votes[index].weight *= left }
        guard let label else { return }
        let leader = votes[0].label
        if let known = votes.firstIndex(where: { $0.label == label }) {
            votes[known].weight += weight
        } else if let least = votes.indices.min(by: { votes[$0].weight < votes[$1].weight }),
            votes[least].weight < weight
        {
            votes[least] = (label, weight)
        }
        for index in 1...2 where votes[index].weight > votes[0].weight { votes.swapAt(0, index) }
        leaderIndex = votes[0].label?.classNumber ?? -1
        isClear = (isClear && votes[0].label == leader) || votes[0].weight >= 2 * max(votes[1].weight, votes[2].weight)
    }
}
