import Synchronization

/// Collects what is said of the parts of one picture, on whatever threads, until all of it is there.
final class TileResultCollector: Sendable {
    private struct State {
        var answers: [[Detection]?]
        var missing: Int
    }

    private let merge: TileMerger
    private let state: Mutex<State>
    private let completion: @Sendable (Result<[Detection], any Error>) -> Void

    /// - Parameter completion: gets all that was seen as one answer, or at once the error of the first part that fails.
    init(_ merge: TileMerger, completion: @escaping @Sendable (Result<[Detection], any Error>) -> Void) {
        (self.merge, self.completion) = (merge, completion)
        state = Mutex(State(answers: Array(repeating: nil, count: merge.tiles.count), missing: merge.tiles.count))
    }

    /// What was said of one of the parts, by its number.
    func take(_ answer: Result<[Detection], any Error>, of number: Int) {
        do {
            let detections = try answer.get()
            let all = state.withLock { state -> [[Detection]]? in
                state.answers[number] = detections
                state.missing -= 1
                return state.missing == 0 ? state.answers.map { $0 ?? [] } : nil
            }
            if let all { completion(.success(merge(all))) }
        } catch {
            completion(.failure(error))
        }
    }
}
