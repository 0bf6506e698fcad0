import COpenVINO
import Glibc

/// An inference request: takes a picture, runs the network, returns the outputs.
///
/// `@unchecked Sendable`: the caller synchronises all calls except ``cancel()``, which may be called from any thread. While an inference is in flight,
/// neither fill the request nor read ``outputs()``. The completion may do both, and start the request again.
/// `@unchecked Sendable` relies on that.
package final class InferenceRequest: @unchecked Sendable {
    package let network: Network

    private let run: InferenceRun
    private let filler: InputFiller
    private let inputTensor: OpaquePointer
    private let inputBytes: UnsafeMutableRawPointer

    init(_ network: Network) throws {
        let functions = network.compiled.runtime.functions
        let run = try InferenceRun(network)
        var tensor: OpaquePointer?
        guard
            functions.ov_infer_request_get_input_tensor_by_index(run.request, network.pictureInput, &tensor) == 0,
            let tensor
        else {
            let reason = network.compiled.runtime.lastError
            run.end()
            throw ODTError(
                .failed, "\(network.name) has no place for its input: \(reason)")
        }
        let expected = 3 * network.input.width * network.input.height * (network.bytes ? 1 : 4)
        var size = 0
        var data: UnsafeMutableRawPointer?
        guard functions.ov_tensor_get_byte_size(tensor, &size) == 0, size == expected,
            functions.ov_tensor_data(tensor, &data) == 0, let data
        else {
            functions.ov_tensor_free(tensor)
            run.end()
            throw ODTError(.unsupported, "the input of \(network.name) takes \(size) bytes, not \(expected)")
        }
        self.network = network
        self.run = run
        inputTensor = tensor
        inputBytes = data
        filler = InputFiller(input: network.input, bytes: network.bytes)
        for number in network.description.inputs.indices where number != network.pictureInput {
            try writeAuxiliaryInput(number)
        }
    }

    /// Writes the values of an auxiliary input once, because they do not change.
    private func writeAuxiliaryInput(_ number: Int) throws {
        let functions = network.compiled.runtime.functions
        let description = network.description.inputs[number]
        var tensor: OpaquePointer?
        defer { if let tensor { functions.ov_tensor_free(tensor) } }
        var size = 0
        var data: UnsafeMutableRawPointer?
        guard let numbers = AuxiliaryInput(name: description.name)?.numbers(for: network.input),
            functions.ov_infer_request_get_input_tensor_by_index(run.request, number, &tensor) == 0, let tensor,
            functions.ov_tensor_get_byte_size(tensor, &size) == 0,
            size == numbers.count * description.element.byteCount,
            functions.ov_tensor_data(tensor, &data) == 0, let data
        else { throw unusable(description) }
        for (index, number) in numbers.enumerated() {
            switch description.element {
            case .float32: data.storeBytes(of: Float(number), toByteOffset: 4 * index, as: Float.self)
            case .int32: data.storeBytes(of: Int32(number), toByteOffset: 4 * index, as: Int32.self)
            case .int64: data.storeBytes(of: Int64(number), toByteOffset: 8 * index, as: Int64.self)
            case .float16, .uint8, .int8: throw unusable(description)
            }
        }
    }

    private func unusable(_ input: TensorDescription) -> ODTError {
        ODTError(
            .unsupported,
            "the input \(input.name) of \(network.name) takes \(input.element) in the shape "
                + "\(input.shapeText), in which it cannot be told the size of the picture")
    }

    deinit {
        InFlightInferences.within {
            network.compiled.runtime.functions.ov_tensor_free(inputTensor)
            run.end()
        }
    }

    /// Converts a picture, or a region of it in buffer pixels, into the network's input.
    ///
    /// Allocates memory only when size, format or region change. The region is enlarged to whole pixels.
    package func fill(from frame: Frame, region: Box? = nil) throws -> InputPlacement {
        run.prepare()
        return try filler.fill(inputBytes, from: frame, region: region)
    }

    /// Starts the inference and returns at once; `completion` is called once, on a thread of the runtime.
    package func start(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        run.start(completion: completion)
    }

    /// Runs the inference on the calling thread and the runtime's threads, and returns at its end.
    package func infer() throws { try run.infer() }

    /// Returns the outputs, in the order of the network's description. Their memory is valid until the next start.
    package func outputs() throws -> [TensorView] { try run.outputs() }

    /// Cancels the inference in flight as soon as possible. Without one, the next inference of the same picture does
    /// not begin. Either ends with a `CancellationError`. Filling the request resets a cancellation.
    package func cancel() { run.cancel() }
}
