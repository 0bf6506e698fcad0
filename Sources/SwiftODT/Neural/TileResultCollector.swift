import Synchronization

/// Collects the detections of all tiles of a frame from any thread, and merges them when the last one arrives.
final class TileResultCollector: Sendable {
    private struct State {
        var answers: [[Detection]?]
        var missing: Int
    }

    private let merge: TileMerger
    private let state: Mutex<State>
    private let completion: @Sendable (Result<[Detection], any Error>) -> Void

    /// - Parameter completion: receives the merged detections, or the error of each tile that fails.
    init(_ merge: TileMerger, completion: @escaping @Sendable (Result<[Detection], any Error>) -> Void) {
        (self.merge, self.completion) = (merge, completion)
        state = Mutex(State(answers: Array(repeating: nil, count: merge.tiles.count), missing: merge.tiles.count))
    }

    /// Stores the result of the tile with the given index.
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
