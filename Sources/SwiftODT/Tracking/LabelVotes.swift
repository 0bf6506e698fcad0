/// Decides the label of a track by vote.
///
/// Each detection votes for its label, and votes decay within seconds. A single wrong label therefore does not rename
/// an object, but a lasting change does. A label wins when it has twice the weight of every other label. The winner
/// stays until another label has more weight. Without a clear winner the track has no label.
struct LabelVotes: Sendable {
    /// Three labels and their weights. The label with the most weight comes first. A new label replaces the label with
    /// the least weight if the new label has more weight.
    private var labels: (Label?, Label?, Label?) = (nil, nil, nil)
    private var weights = (0.0, 0.0, 0.0)
    private var isClear = false

    var winner: Label? { isClear ? labels.0 : nil }
    /// The index of the label with the most weight, whether it is a clear winner or not. -1 if no detection had a
    /// label.
    private(set) var leaderIndex = -1

    func contains(where isMeant: (Label) -> Bool) -> Bool {
        labels.0.map(isMeant) ?? false || labels.1.map(isMeant) ?? false || labels.2.map(isMeant) ?? false
    }

    /// Adds the vote of a detection. Without a label, the earlier votes still decay. `time` is the time since the
    /// previous vote.
    mutating func vote(_ label: Label?, weight: Double, after time: Nanoseconds) {
        let left = TrackerTuning.labelMemory / (TrackerTuning.labelMemory + max(0, Double(time) / 1e9))
        weights = (weights.0 * left, weights.1 * left, weights.2 * left)
        guard let label else { return }
        let leader = labels.0
        count(label, weight)
        if weights.1 > weights.0 {
            (labels.0, labels.1) = (labels.1, labels.0)
            (weights.0, weights.1) = (weights.1, weights.0)
        }
        if weights.2 > weights.0 {
            (labels.0, labels.2) = (labels.2, labels.0)
            (weights.0, weights.2) = (weights.2, weights.0)
        }
        leaderIndex = labels.0?.index ?? -1
        isClear = (isClear && labels.0 == leader) || weights.0 >= 2 * max(weights.1, weights.2)
    }

    private mutating func count(_ label: Label, _ weight: Double) {
        if labels.0 == label {
            weights.0 += weight
        } else if labels.1 == label {
            weights.1 += weight
        } else if labels.2 == label {
            weights.2 += weight
        } else if weights.2 < min(weights.0, weights.1) {
            if weights.2 < weight { (labels.2, weights.2) = (label, weight) }
        } else if weights.1 < weights.0 {
            if weights.1 < weight { (labels.1, weights.1) = (label, weight) }
        } else if weights.0 < weight {
            (labels.0, weights.0) = (label, weight)
        }
    }
}
