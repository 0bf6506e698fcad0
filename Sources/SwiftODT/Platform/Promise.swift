/// A result that is supplied once, usually later and on another thread.
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

    /// Creates a promise that is already fulfilled with `answer`.
    package convenience init(_ answer: Answer) {
        self.init()
        fulfil(.success(answer))
    }

    /// Supplies the result and wakes the waiting threads. If the promise is already fulfilled, the result is ignored.
    package func fulfil(_ result: Result<Answer, any Error>) {
        state.update { state in
            if case .waiting = state { state = .done(result) }
        }
    }

    /// Fulfils the promise with a `CancellationError`. ``wait()`` then throws immediately, and a later result is
    /// ignored.
    package func cancel() { fulfil(.failure(CancellationError())) }

    /// Whether the promise is fulfilled. If so, ``wait()`` does not block.
    package var isDone: Bool {
        state.read { state in
            if case .done = state { true } else { false }
        }
    }

    /// Waits until the promise is fulfilled. Returns or throws its result.
    package func wait() throws -> Answer {
        try state.wait { state in
            if case .done(let result) = state { result } else { nil }
        }.get()
    }
}
