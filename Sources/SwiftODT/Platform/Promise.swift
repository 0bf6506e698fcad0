/// A result that is supplied once, usually by another thread.
///
///     let promise = Promise<Int>()
///     DetachedThread.run { promise.fulfil(.success(6 * 7)) }
///     print(try promise.wait())
package final class Promise<Answer: Sendable>: Sendable {
    private enum State {
        /// `then` is called when the promise is fulfilled.
        case waiting(then: (@Sendable () -> Void)?)
        case done(Result<Answer, any Error>)
    }

    private let state = Monitor(State.waiting(then: nil))

    package init() {}

    package convenience init(_ answer: Answer) {
        self.init()
        fulfil(.success(answer))
    }

    /// Wakes the waiting threads. If the promise is already fulfilled, the result is ignored.
    package func fulfil(_ result: Result<Answer, any Error>) {
        let then: (@Sendable () -> Void)? = state.update { state in
            guard case .waiting(let then) = state else { return nil }
            state = .done(result)
            return then
        }
        then?()
    }

    /// Calls `body` once: when the promise is fulfilled, or immediately if the promise is already fulfilled. If the
    /// function of an earlier call is still waiting, `body` replaces that function.
    package func whenDone(_ body: @escaping @Sendable () -> Void) {
        let isDone = state.update { state in
            if case .done = state { return true }
            state = .waiting(then: body)
            return false
        }
        if isDone { body() }
    }

    /// Fulfils the promise with a `CancellationError`. A later result is ignored.
    package func cancel() { fulfil(.failure(CancellationError())) }

    package var isDone: Bool {
        state.read { state in
            if case .done = state { true } else { false }
        }
    }

    package func wait() throws -> Answer {
        try state.wait { state in
            if case .done(let result) = state { result } else { nil }
        }.get()
    }
}

extension Promise {
    /// Lets a task wait for the result of a computation on another thread. If the task is cancelled, the wait ends
    /// immediately and the promise is cancelled. The computation is then not needed any more.
    ///
    ///     try await Promise<Int>.value { promise in
    ///         DetachedThread.run { promise.fulfil(.success(6 * 7)) }
    ///     }
    ///
    /// - Parameter start: starts the computation. It is not called if the task is already cancelled.
    /// - Throws: the error of the computation, or `CancellationError` if the task is cancelled.
    package static func value(_ start: @Sendable (Promise) -> Void) async throws -> Answer {
        try Task.checkCancellation()
        let promise = Promise()
        start(promise)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                promise.whenDone { continuation.resume(with: Result { try promise.wait() }) }
            }
        } onCancel: {
            promise.cancel()
        }
    }
}
