/// A result that is supplied once, possibly later and on another thread.
///
///     let promise = Promise<Int>()
///     DetachedThread.run { promise.fulfil(.success(6 * 7)) }
///     print(try promise.wait())
package final class Promise<Answer: Sendable>: Sendable {
    private enum State {
        case waiting
        case done(Result<Answer, any Error>)
    }

    private let state = Monitor(State.waiting)

    package init() {}

    /// Creates a promise that is already fulfilled.
    package convenience init(_ answer: Answer) {
        self.init()
        fulfil(.success(answer))
    }

    /// Supplies the result and wakes waiting threads. Later results are ignored.
    package func fulfil(_ result: Result<Answer, any Error>) {
        state.update { state in
            if case .waiting = state { state = .done(result) }
        }
    }

    /// Fulfils the promise with `CancellationError`, so that ``wait()`` throws at once and a later result is ignored.
    package func cancel() { fulfil(.failure(CancellationError())) }

    /// Whether ``wait()`` would return without blocking.
    package var isDone: Bool {
        state.read { state in
            if case .done = state { true } else { false }
        }
    }

    /// Waits for the result and returns it.
    package func wait() throws -> Answer {
        try state.wait { state in
            if case .done(let result) = state { result } else { nil }
        }.get()
    }
}
