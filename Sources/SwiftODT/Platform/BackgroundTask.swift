import Glibc

/// A long computation on its own thread, for example the compilation of a network.
///
/// The computation cannot be interrupted. The caller can abandon it by releasing the task, which does not block.
///
///     let task = BackgroundTask { try configuration.makeDetector() }
///     if let result = task.take() { use(try result.get()) }
package final class BackgroundTask<Product: Sendable>: Sendable {
    private enum State {
        case running
        case done(Result<Product, any Error>)
        case taken
    }

    private let state = Monitor(State.running)

    /// - Parameter make: the computation. It can outlive the task. It must not use objects that may be destroyed while
    ///   it runs.
    package init(_ make: @escaping @Sendable () throws -> Product) {
        let isStarted = DetachedThread.run { [weak self] in
            let product = Result { try make() }
            self?.state.update { $0 = .done(product) }
        }
        if !isStarted {
            state.update { $0 = .done(.failure(ODTError.noThread)) }
        }
    }

    /// Returns the result once. Returns `nil` while the computation runs and after the result was taken.
    package func take() -> Result<Product, any Error>? {
        state.update { state in
            guard case .done(let result) = state else { return nil }
            state = .taken
            return result
        }
    }

    /// Waits until the result is available, or until `isInterrupted` returns `true`. `isInterrupted` is called at the
    /// start of the wait and after each call of ``wake()``.
    /// - Returns: `true` if the computation has ended, `false` if the wait was interrupted.
    package func wait(unless isInterrupted: () -> Bool) -> Bool {
        state.wait { state in
            if case .running = state { isInterrupted() ? false : nil } else { true }
        }
    }

    /// Makes callers that wait in ``wait(unless:)`` call `isInterrupted` again.
    package func wake() { state.update { _ in } }
}

/// Runs functions one at a time in the order of their arrival, on a thread that exists while functions wait.
package final class SerialThread: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Monitor(State())

    package init() {}

    /// If no thread can be started, the waiting functions run on the calling thread.
    package func run(_ body: @escaping @Sendable () -> Void) {
        let isFirst = state.update { state in
            state.waiting.append(body)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst, !DetachedThread.run({ self.serve() }) { serve() }
    }

    private func serve() {
        while let body = next() { body() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.update { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isRunning = false
            return nil
        }
    }
}

/// Starts detached POSIX threads for work that would block a thread of a pool too long.
package enum DetachedThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// - Returns: `false` if the thread could not be started.
    @discardableResult
    package static func run(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let status = pthread_create(
            &thread, nil,
            { work in
                if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        guard status == 0 else {
            work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Runs all closures at the same time and waits until they have returned.
    package static func runAll(_ bodies: [@Sendable () -> Void]) {
        let left = Monitor(bodies.count)
        for body in bodies {
            let counted: @Sendable () -> Void = {
                body()
                left.update { $0 -= 1 }
            }
            if !run(counted) { counted() }
        }
        left.wait { $0 == 0 ? () : nil }
    }
}
