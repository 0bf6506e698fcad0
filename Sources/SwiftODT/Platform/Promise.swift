import Synchronization

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

    /// Calls `body` once, when the promise is fulfilled or immediately if it already is. A later call replaces the
    /// function of an earlier call that still waits.
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

/// Lets a task wait for the result of a computation on another thread. If the task is cancelled, the wait ends at once.
///
///     try await PendingAnswer<Int>.value { answer in
///         DetachedThread.run { answer.resume(with: .success(6 * 7)) }
///     }
package final class PendingAnswer<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, any Error>)
        case done
    }

    private let state = Mutex(State.idle)

    private init() {}

    /// Waits until the computation that `start` starts calls ``resume(with:)``. `start` runs after the continuation has
    /// been stored, so no result can be lost.
    ///
    /// - Throws: the error that ``resume(with:)`` received, or `CancellationError` if the task is cancelled.
    package static func value(_ start: @Sendable (PendingAnswer) -> Void) async throws -> Value {
        let answer = PendingAnswer()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.state.withLock { $0 = .waiting(continuation) }
                // If the task was cancelled before the continuation was stored, the cancellation handler found no
                // continuation to resume.
                if Task.isCancelled { return answer.resume(with: .failure(CancellationError())) }
                start(answer)
            }
        } onCancel: {
            answer.resume(with: .failure(CancellationError()))
        }
    }

    /// Ends the wait. Calls after the first one have no effect.
    package func resume(with result: Result<Value, any Error>) {
        let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .done
            return continuation
        }
        continuation?.resume(with: result)
    }

    /// Whether the wait has ended. `true` before the computation begins means that the task was cancelled and the
    /// computation is not needed.
    package var isAbandoned: Bool {
        state.withLock { state in
            if case .done = state { true } else { false }
        }
    }
}
