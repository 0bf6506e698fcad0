/// Something that takes long to make, such as a compiled network, and is made on a thread of its own.
///
/// It cannot be cut short, but it can be left: who lets go of it does not wait, and the product is dropped on the thread that
/// made it.
///
///     let making = BackgroundTask { try configuration.makeDetector() }
///     if let made = making.take() { use(try made.get()) }
public final class BackgroundTask<Product: Sendable>: Sendable {
    private enum State {
        case running
        case done(Result<Product, any Error>)
        case taken
    }

    private let state = Monitor(State.running)

    /// - Parameter make: holds on to nothing that may be gone before it returns.
    public init(_ make: @escaping @Sendable () throws -> Product) {
        let isStarted = DetachedThread.run { [weak self] in
            let product = Result { try make() }
            self?.state.update { $0 = .done(product) }
        }
        if !isStarted {
            state.update { $0 = .done(.failure(NoThread())) }
        }
    }

    private struct NoThread: Error, CustomStringConvertible {
        let description = "no thread can be started to make it; let the process have more of them (ulimit -u)"
    }

    /// What was made, once it is there; `nil` before, and when it has been taken.
    public func take() -> Result<Product, any Error>? {
        state.update { state in
            guard case .done(let result) = state else { return nil }
            state = .taken
            return result
        }
    }

    /// Waits until it is made, or until ``wake()`` lets it see that `isInterrupted`.
    ///
    /// - Returns: whether it is made.
    public func wait(unless isInterrupted: () -> Bool) -> Bool {
        state.wait { state in
            if case .running = state { isInterrupted() ? false : nil } else { true }
        }
    }

    /// Lets whoever waits look again.
    public func wake() { state.update { _ in } }
}
