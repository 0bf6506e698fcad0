/// An answer under way: asked for at one frame, given later, perhaps on another thread, exactly once.
///
///     let promise = Promise<Int>()
///     DetachedThread.run { promise.fulfil(.success(6 * 7)) }
///     print(try promise.wait())
public final class Promise<Answer: Sendable>: Sendable {
    private enum State {
        case waiting
        case done(Result<Answer, any Error>)
    }

    private let state = Monitor(State.waiting)

    public init() {}

    /// A ticket that is answered from the start, for those who are done within `start`.
    public convenience init(_ answer: Answer) {
        self.init()
        fulfil(.success(answer))
    }

    /// Gives the answer and wakes whoever waits. Only the first answer counts.
    public func fulfil(_ result: Result<Answer, any Error>) {
        state.update { state in
            if case .waiting = state { state = .done(result) }
        }
    }

    /// Gives up waiting: ``wait()`` throws `CancellationError` at once, a later answer is ignored.
    public func cancel() { fulfil(.failure(CancellationError())) }

    /// Whether ``wait()`` would return at once.
    public var isDone: Bool {
        state.read { state in
            if case .done = state { true } else { false }
        }
    }

    /// The answer; waits for it where it is not there yet.
    public func wait() throws -> Answer {
        try state.wait { state in
            if case .done(let result) = state { result } else { nil }
        }.get()
    }
}
