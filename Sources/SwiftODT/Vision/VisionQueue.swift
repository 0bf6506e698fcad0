import Glibc

/// Lets images through to the finder one by one, on a thread that lives while there are any.
final class VisionQueue: Sendable {
    typealias Answer = Result<[VisionObject], any Error>

    private struct PendingImage {
        let image: VisionImage
        let answer: @Sendable (Answer) -> Void
    }

    private struct State {
        var waiting: [PendingImage] = []
        var worker: pthread_t?
        var isRunning = false
    }

    private let keepsOnlyLatest: Bool
    private let finder: VisionProcessor
    private let state = Monitor(State())

    /// - Parameter keepsOnlyLatest: whether an image that waits gives way to a newer one.
    init(keepsOnlyLatest: Bool, finder: VisionProcessor) {
        self.keepsOnlyLatest = keepsOnlyLatest
        self.finder = finder
    }

    /// Puts an image in the line. `answer` is called exactly once, on the line's thread or, when the image is dropped, on that of
    /// the call that took its place.
    func join(_ image: VisionImage, answer: @escaping @Sendable (Answer) -> Void) {
        let visitor = PendingImage(image: image, answer: answer)
        let (dropped, isFirst) = state.update { state in
            var dropped: [PendingImage] = []
            if keepsOnlyLatest { swap(&dropped, &state.waiting) }
            state.waiting.append(visitor)
            defer { state.isRunning = true }
            return (dropped, !state.isRunning)
        }
        for visitor in dropped { visitor.answer(.failure(VisionDroppedError())) }
        if isFirst, !DetachedThread.run({ self.serve() }) {
            let stranded = state.update { state in
                defer { state = State() }
                return state.waiting
            }
            let error = ODTError(.failed, "no thread can be started to look at the image")
            for visitor in stranded { visitor.answer(.failure(error)) }
        }
    }

    /// Puts an image in the line and waits for its answer. Called from within an answer, it has its turn at once.
    func wait(for image: VisionImage) throws -> [VisionObject] {
        let isInside = state.read { $0.worker.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        if isInside { return try finder.find(in: image) }
        let promise = Promise<[VisionObject]>()
        join(image) { promise.fulfil($0) }
        return try promise.wait()
    }

    private func serve() {
        while let visitor = next() { visitor.answer(Answer { try finder.find(in: visitor.image) }) }
    }

    private func next() -> PendingImage? {
        state.update { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                state.worker = nil
                return nil
            }
            state.worker = pthread_self()
            return state.waiting.removeFirst()
        }
    }
}
