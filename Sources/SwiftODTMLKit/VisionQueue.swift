import Glibc
import SwiftODT

/// An image with the orientation and timestamp that it had when the detector was called.
struct VisionInput: Sendable {
    let frame: Result<Frame, any Error>
    let orientation: VisionDetectorImageOrientation
    let timestamp: MediaTime?

    init(_ image: VisionImage) { (frame, orientation, timestamp) = (image.frame, image.orientation, image.timestamp) }
}

/// Passes images to the processor one at a time, on a thread that runs while images are queued.
final class VisionQueue: Sendable {
    typealias Answer = Result<[VisionObject], any Error>

    private struct PendingImage {
        let input: VisionInput
        /// Returns whether no caller waits for the answer any more.
        let isAbandoned: @Sendable () -> Bool
        let answer: @Sendable (Answer) -> Void
    }

    private struct State {
        /// The image for which the thread was started. A newer image does not replace it.
        var first: PendingImage?
        var waiting: [PendingImage] = []
        var worker: pthread_t?
        var isRunning = false
    }

    private let keepsOnlyLatest: Bool
    private let finder: VisionProcessor
    private let state = Monitor(State())

    /// - Parameter keepsOnlyLatest: whether a newer image replaces the queued image, which is then dropped.
    init(keepsOnlyLatest: Bool, finder: VisionProcessor) {
        self.keepsOnlyLatest = keepsOnlyLatest
        self.finder = finder
    }

    /// Queues an image. `answer` is called exactly once, on another thread. Only if no thread can be started, it is
    /// called on the thread that calls this function.
    func join(
        _ image: VisionImage, isAbandoned: @escaping @Sendable () -> Bool = { false },
        answer: @escaping @Sendable (Answer) -> Void
    ) {
        let pending = PendingImage(input: VisionInput(image), isAbandoned: isAbandoned, answer: answer)
        let (dropped, isFirst) = state.update { state in
            var dropped: [PendingImage] = []
            guard state.isRunning else {
                (state.isRunning, state.first) = (true, pending)
                return (dropped, true)
            }
            if keepsOnlyLatest { swap(&dropped, &state.waiting) }
            state.waiting.append(pending)
            return (dropped, false)
        }
        // The caller may hold a lock that the completion handler takes, and the queue's thread may be busy.
        let answerDropped: @Sendable () -> Void = { for image in dropped { image.answer(.failure(Self.dropped)) } }
        if !dropped.isEmpty, !DetachedThread.run(answerDropped) { answerDropped() }
        if isFirst, !DetachedThread.run({ self.serve() }) {
            let remaining = state.update { state in
                defer { state = State() }
                return [state.first].compactMap(\.self) + state.waiting
            }
            for image in remaining { image.answer(.failure(ODTError.noThread)) }
        }
    }

    /// Queues an image and waits for the result. A call from within a completion handler is processed immediately to
    /// avoid a deadlock.
    func wait(for image: VisionImage) throws -> [VisionObject] {
        let isInside = state.read { $0.worker.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        if isInside { return try finder.find(in: VisionInput(image)) }
        let promise = Promise<[VisionObject]>()
        join(image) { promise.fulfil($0) }
        return try promise.wait()
    }

    private static let dropped = ODTError(
        .dropped,
        "the image was dropped: the detector was busy, and a newer image of the stream replaced it; "
            + "wait for each result, or use single-image mode")

    private func serve() {
        while let pending = next() {
            if pending.isAbandoned() { continue }
            pending.answer(Answer { try finder.find(in: pending.input) })
        }
    }

    private func next() -> PendingImage? {
        state.update { state in
            state.worker = pthread_self()
            if let first = state.first {
                state.first = nil
                return first
            }
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            (state.isRunning, state.worker) = (false, nil)
            return nil
        }
    }
}
