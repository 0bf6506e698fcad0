import Synchronization

/// A fact about a network that its file does not tell and its answers do: found out from the first of them and kept, so that no odd
/// answer later on, with a few tiny boxes in a corner, is read in another way than all others.
final class ModelHeuristic: Sendable {
    private let votes = Mutex((for: 0, against: 0))

    /// So many figures have to have spoken; the first of a network with a grid has thousands.
    private static let enough = 64

    /// Whether most figures have said so, those of this answer included as long as there is doubt.
    func isSo(after votesFor: Int, against votesAgainst: Int) -> Bool {
        votes.withLock { votes in
            if votes.for + votes.against < Self.enough {
                votes.for += votesFor
                votes.against += votesAgainst
            }
            return votes.for > votes.against
        }
    }
}
