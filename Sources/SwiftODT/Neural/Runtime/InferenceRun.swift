import CODTOpenVINO
import Glibc

/// The part of an ``InferenceRequest`` that calls the runtime: it starts inferences, receives the runtime's callback,
/// and frees the runtime's request.
///
/// The runtime passes the address of this object to the callback. The object therefore retains itself until the
/// runtime's request is freed.
///
/// `@unchecked Sendable`: `state` has a lock, and the other properties are constant after initialisation. The memory at
/// `mark` is written before an inference starts and read after it has ended.
final class InferenceRun: @unchecked Sendable {
    let request: OpaquePointer
    private let network: Network
    private let callback: UnsafeMutablePointer<ov_callback>
    private let state = Monitor(State())
    /// The address of the first output that has a fixed size. `nil` if there is no such output. ``start(completion:)``
    /// stores ``unwritten`` at this address before it starts an inference.
    private var mark: UnsafeMutableRawPointer?

    private struct State {
        /// `nil` if no inference is in flight.
        var completion: (@Sendable (Result<Void, any Error>) -> Void)?
        /// Whether the inference of the current picture was cancelled. ``prepare()`` resets it for the next picture.
        var isCancelled = false
        /// The thread that runs the completion handler.
        var completing: pthread_t?
        /// The number of threads that query the status of an inference.
        var askers = 0
    }

    /// A bit pattern that a network is unlikely to compute: as a float, it is a NaN. The runtime's C interface does not
    /// pass the status of an inference to the callback. Therefore, the pattern is written to an output before each
    /// inference. If the output no longer begins with the pattern after the inference, the inference has succeeded.
    private static let unwritten: UInt32 = 0x7FED_0D7E

    init(_ network: Network) throws {
        let functions = network.compiled.runtime.functions
        var request: OpaquePointer?
        guard functions.ov_compiled_model_create_infer_request(network.compiled.model, &request) == 0, let request
        else {
            throw ODTError(
                .failed, "cannot create a request for \(network.name): \(network.compiled.runtime.lastError)")
        }
        self.request = request
        self.network = network
        callback = .allocate(capacity: 1)
        callback.initialize(to: ov_callback(function: inferenceEnded, argument: nil))
        callback.pointee.argument = Unmanaged.passRetained(self).toOpaque()
        for (index, known) in network.description.outputs.enumerated()
        where known.shape.allSatisfy({ ($0 ?? 0) > 0 }) {
            guard let view = try? output(index), view.bytes.count >= 4 else { continue }
            mark = UnsafeMutableRawPointer(mutating: view.bytes.baseAddress)
            break
        }
    }

    deinit { callback.deallocate() }

    /// `completion` is called on a thread of the runtime.
    func start(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        guard InFlightInferences.enter() else { return completion(.failure(CancellationError())) }
        do {
            try begin(completion)
        } catch {
            InFlightInferences.leave()
            return completion(.failure(error))
        }
        mark?.storeBytes(of: Self.unwritten, as: UInt32.self)
        let runtime = network.compiled.runtime
        // The runtime removes the callback when it calls the callback. The callback is therefore set for each
        // inference.
        if runtime.functions.ov_infer_request_set_callback(request, callback) != 0
            || runtime.functions.ov_infer_request_start_async(request) != 0
        {
            let reason = runtime.lastError
            finish { .failure(ODTError(.failed, "cannot start an inference of \(self.network.name): \(reason)")) }
            return
        }
        // The runtime ignores a cancellation before the start of an inference. An earlier cancellation is therefore
        // repeated now.
        state.read { if $0.isCancelled { cancelUnderWay($0) } }
    }

    /// Resets the cancellation, before the request is filled with a new picture. Does nothing while an inference is in
    /// flight.
    func prepare() {
        state.update { state in
            if state.completion == nil { state.isCancelled = false }
        }
    }

    /// Runs the inference on the calling thread and the runtime's threads. This needs two fewer thread switches than
    /// ``start(completion:)``.
    func infer() throws {
        guard InFlightInferences.enter() else { throw CancellationError() }
        defer { InFlightInferences.leave() }
        try begin({ _ in })
        let runtime = network.compiled.runtime
        let status = runtime.functions.ov_infer_request_infer(request)
        let reason = status == 0 ? "" : runtime.lastError
        network.noteInference()
        let isCancelled = state.update { state in
            state.completion = nil
            return state.isCancelled
        }
        if isCancelled { throw CancellationError() }
        guard status == 0 else {
            throw ODTError(.failed, "the inference of \(network.name) failed: \(reason)")
        }
    }

    private func begin(_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) throws {
        try state.update { state in
            guard state.completion == nil else {
                throw ODTError(.failed, "the previous inference of this request for \(network.name) is still in flight")
            }
            if state.isCancelled { throw CancellationError() }
            state.completion = completion
        }
    }

    /// Cancels the inference in flight. If no inference is in flight, the next inference of the same picture is
    /// cancelled before it begins.
    ///
    /// The runtime ignores a cancellation between the call of ``infer()`` and the start of the inference in the
    /// runtime. The inference then runs to its end, but ``infer()`` throws a `CancellationError`.
    func cancel() {
        state.update { state in
            state.isCancelled = true
            cancelUnderWay(state)
        }
    }

    private func cancelUnderWay(_ state: State) {
        guard state.completion != nil else { return }
        _ = network.compiled.runtime.functions.ov_infer_request_cancel(request)
    }

    /// Handles the end of an inference. Called on a thread of the runtime, inside the runtime's callback.
    fileprivate func ended() {
        if let mark, mark.loadUnaligned(as: UInt32.self) != Self.unwritten { return complete { .success(()) } }
        // The status of the inference cannot be queried inside the callback, so another thread queries it. This is
        // necessary only for failed inferences and for networks without an output of fixed size.
        state.update { $0.askers += 1 }
        let isAsked = onAnotherThread { run in
            run.complete { run.answer() }
            run.state.update { $0.askers -= 1 }
        }
        if isAsked { return }
        state.update { $0.askers -= 1 }
        complete { .failure(ODTError(.failed, "cannot start a thread to query the result of \(network.name)")) }
    }

    private func complete(_ result: () -> Result<Void, any Error>) {
        state.update { $0.completing = pthread_self() }
        finish(result)
        // The completion handler may have started the next inference, whose completion handler may already run on
        // another thread. Then `completing` is that thread and stays unchanged.
        state.update { state in
            if state.completing.map({ pthread_equal($0, pthread_self()) != 0 }) == true { state.completing = nil }
        }
    }

    /// Waits until the runtime's callback has returned. Returns the result of the inference according to the runtime.
    private func answer() -> Result<Void, any Error> {
        let runtime = network.compiled.runtime
        if runtime.functions.ov_infer_request_wait(request) == 0 { return .success(()) }
        return .failure(ODTError(.failed, "the inference of \(network.name) failed: \(runtime.lastError)"))
    }

    private func finish(_ result: () -> Result<Void, any Error>) {
        // The completion handler is released at the end of this block, before ``InFlightInferences/leave()``. Releasing
        // the objects that it captures may call the runtime.
        do {
            let (completion, isCancelled) = state.update { state in
                defer { state.completion = nil }
                return (state.completion, state.isCancelled)
            }
            completion?(isCancelled ? .failure(CancellationError()) : result())
        }
        network.noteInference()
        InFlightInferences.leave()
    }
}

// MARK: - Outputs

extension InferenceRun {
    /// The memory of the tensors is valid until the next inference starts.
    func outputs() throws -> [TensorView] { try network.description.outputs.indices.map(output) }

    private func output(_ index: Int) throws -> TensorView {
        let runtime = network.compiled.runtime
        let functions = runtime.functions
        var tensor: OpaquePointer?
        var shape = ov_shape()
        var data: UnsafeMutableRawPointer?
        var size = 0
        guard functions.ov_infer_request_get_output_tensor_by_index(request, index, &tensor) == 0, let tensor else {
            throw ODTError(.failed, "\(network.name) has no output \(index): \(runtime.lastError)")
        }
        // Frees only the handle of the tensor. The memory of the tensor belongs to the request.
        defer { functions.ov_tensor_free(tensor) }
        guard functions.ov_tensor_get_shape(tensor, &shape) == 0 else {
            throw ODTError(.failed, "output \(index) of \(network.name) has no shape: \(runtime.lastError)")
        }
        defer { _ = functions.ov_shape_free(&shape) }
        let dimensions = (0..<Int(max(0, shape.rank))).map { Int(shape.dims[$0]) }
        let element = network.description.outputs[index].element
        // An empty tensor has no memory.
        guard functions.ov_tensor_get_byte_size(tensor, &size) == 0,
            size == 0 || functions.ov_tensor_data(tensor, &data) == 0,
            size == (dimensions + [element.byteCount]).product
        else {
            throw ODTError(.failed, "the size of output \(index) of \(network.name) does not match its shape")
        }
        return TensorView(
            shape: dimensions, element: element, bytes: UnsafeRawBufferPointer(start: data, count: size))
    }
}

// MARK: - The end

extension InferenceRun {
    /// Cancels the inference in flight, waits until the runtime's callback has returned, and frees the runtime's
    /// request.
    ///
    /// A completion handler can release the last reference to the request, and thus call this function. Waiting for the
    /// callback would then deadlock, because the completion handler runs inside the callback. In this case, another
    /// thread cancels, waits and frees.
    func end() {
        let isInside = state.read { $0.completing.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
        guard isInside else { return free() }
        onAnotherThread { $0.free() }
    }

    /// Returns whether the thread could be started.
    @discardableResult
    private func onAnotherThread(_ body: @escaping @Sendable (InferenceRun) -> Void) -> Bool {
        InFlightInferences.enterLate()
        let run = Unmanaged.passRetained(self)
        let isStarted = DetachedThread.run {
            // The reference to the run is released at the end of this block, before ``InFlightInferences/leave()``. It
            // may be the last reference.
            do { body(run.takeRetainedValue()) }
            InFlightInferences.leave()
        }
        guard !isStarted else { return true }
        run.release()
        InFlightInferences.leave()
        return false
    }

    private func free() {
        let functions = network.compiled.runtime.functions
        cancel()
        _ = functions.ov_infer_request_wait(request)
        state.wait { $0.askers > 0 ? nil : () }
        functions.ov_infer_request_free(request)
        Unmanaged.passUnretained(self).release()
    }
}

/// The runtime calls this function at the end of a successful or failed inference. `argument` is the ``InferenceRun``.
private func inferenceEnded(_ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<InferenceRun>.fromOpaque(argument).takeUnretainedValue().ended()
}
