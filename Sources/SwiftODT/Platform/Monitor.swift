import Glibc

/// A value that a lock protects. Threads can wait for changes of the value.
///
/// `@unchecked Sendable`: `value` is accessed only while `mutex` is locked. The mutex and the condition variable are on
/// the heap, because POSIX requires that their addresses do not change.
///
///     let left = Monitor(3)
///     for _ in 0..<3 { DetachedThread.run { left.update { $0 -= 1 } } }
///     left.wait { $0 == 0 ? () : nil }
package final class Monitor<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Calls `body` with the value while the lock is held. Does not wake threads in `wait`.
    package func read<Answer>(_ body: (Value) throws -> Answer) rethrows -> Answer {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(value)
    }

    /// Calls `body`, which can change the value, while the lock is held. Then wakes all threads in `wait`.
    @discardableResult
    package func update<Answer>(_ body: (inout Value) throws -> Answer) rethrows -> Answer {
        pthread_mutex_lock(mutex)
        defer {
            pthread_mutex_unlock(mutex)
            // The threads are woken after the lock is released. Otherwise, they would wake up only to block on the
            // lock.
            pthread_cond_broadcast(condition)
        }
        return try body(&value)
    }

    /// Blocks until `body` returns a result other than `nil`. `body` is called while the lock is held, at the start and
    /// after each ``update(_:)``.
    package func wait<Answer>(for body: (inout Value) -> Answer?) -> Answer {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&value) { return answer }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Like ``wait(for:)``, but blocks at most until `deadline`, a time of ``MonotonicClock``. Returns `nil` if `body`
    /// still returns `nil` after the deadline.
    @discardableResult
    package func wait<Answer>(until deadline: Nanoseconds, for body: (inout Value) -> Answer?) -> Answer? {
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&value) { return answer }
            if pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&value) }
        }
    }
}
