import Synchronization

/// A yes-no property of a network that its description does not specify and its first outputs decide by majority vote.
///
/// The decision becomes final after a number of votes, so that a later unusual output is not interpreted differently.
final class ModelHeuristic: Sendable {
    private let votes = Mutex((for: 0, against: 0))

    /// The number of votes after which the decision is final.
    private static let enough = 64

    /// Returns whether most votes support the property. Counts the given votes unless the decision is final.
    func isLikely(votesFor: Int, against votesAgainst: Int) -> Bool {
        votes.withLock { votes in
            if votes.for + votes.against < Self.enough {
                votes.for += votesFor
                votes.against += votesAgainst
            }
            return votes.for > votes.against
        }
    }
}
