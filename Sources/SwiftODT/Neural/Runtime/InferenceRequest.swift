import CODTOpenVINO
import Glibc

/// Converts a picture to the input of a network, runs the network and returns the outputs.
///
/// A request is not thread-safe. Only ``cancel()`` may be called from any thread. While an inference is in flight, do
/// not fill the request and do not read ``outputs()``. Both are allowed in the completion handler, which may also start
/// the next inference.
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
                .failed, "cannot get the input tensor of \(network.name): \(reason)")
        }
        let expected = 3 * network.input.width * network.input.height * (network.bytes ? 1 : 4)
        var size = 0
        var data: UnsafeMutableRawPointer?
        guard functions.ov_tensor_get_byte_size(tensor, &size) == 0, size == expected,
            functions.ov_tensor_data(tensor, &data) == 0, let data
        else {
            functions.ov_tensor_free(tensor)
            run.end()
            throw ODTError(.unsupported, "the input of \(network.name) has \(size) bytes instead of \(expected)")
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

    /// An auxiliary input is an input for the size of the picture. Its values are the same for all pictures, so they
    /// are written only once.
    private func writeAuxiliaryInput(_ number: Int) throws {
        let functions = network.compiled.runtime.functions
        let description = network.description.inputs[number]
        var tensor: OpaquePointer?
        defer { if let tensor { functions.ov_tensor_free(tensor) } }
        var size = 0
        var data: UnsafeMutableRawPointer?
        guard let numbers = network.input.auxiliaryNumbers(description.name),
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
            "the input \(input.name) of \(network.name) has the type \(input.element) and the shape "
                + "\(input.shapeText), which cannot hold the size of the picture")
    }

    deinit {
        InFlightInferences.within {
            network.compiled.runtime.functions.ov_tensor_free(inputTensor)
            run.end()
        }
    }

    /// Converts a picture into the network's input. The `region` is in buffer pixels and is enlarged to whole pixels.
    /// `nil` is the full frame.
    ///
    /// Allocates memory only if the size, the format or the region differs from the previous call.
    package func fill(from frame: Frame, region: Box? = nil) throws -> InputPlacement {
        run.prepare()
        return try filler.fill(inputBytes, from: frame, region: region)
    }

    /// Returns immediately. `completion` is called once, on a thread of the runtime.
    package func start(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        run.start(completion: completion)
    }

    /// Runs the inference on the calling thread and the runtime's threads. Returns when the inference has ended.
    package func infer() throws { try run.infer() }

    /// The tensors have the order of the network's description. Their memory is valid until the next inference starts.
    package func outputs() throws -> [TensorView] { try run.outputs() }

    /// Cancels the inference in flight as soon as possible. If no inference is in flight, the next inference is
    /// cancelled before it begins. Filling the request resets this cancellation. A cancelled inference ends with a
    /// `CancellationError`.
    package func cancel() { run.cancel() }
}
