/// One inference at a time: a picture goes in, the network runs, the outputs can be read.
///
/// Use from one thread at a time; only ``cancel()`` and ``wait()`` may be called from others. While it runs, neither fill it nor read
/// ``outputs``, except inside the completion.
public final class InferenceRequest: @unchecked Sendable {
    public let network: Network

    init(network: Network) {
        self.network = network
    }

    /// Puts a picture, or a part of it given in buffer pixels, into the network's input. Allocates nothing once it has seen a size.
    public func fill(from frame: Frame, region: Box? = nil) throws -> InputPlacement {
        throw DetectorError(.runtimeMissing, "no inference runtime yet")
    }

    /// Runs the network and returns at once; `completion` is called on a thread of the runtime.
    public func start(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        completion(.failure(DetectorError(.runtimeMissing, "no inference runtime yet")))
    }

    /// Runs the network and returns when it has an answer.
    public func run() throws {
        throw DetectorError(.runtimeMissing, "no inference runtime yet")
    }

    /// The answers, in the order of the network's description. Valid until the next start.
    public var outputs: [TensorView] { [] }

    /// Stops a run under way as soon as the runtime can; its completion is called with `CancellationError`.
    public func cancel() {}
}
