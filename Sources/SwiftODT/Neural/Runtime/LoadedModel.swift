import CODTOpenVINO
import Glibc

/// A model that the runtime has read but not compiled. It can be adapted before it is compiled.
final class LoadedModel {
    let runtime: OpenVINO
    let file: ModelFile
    private(set) var model: OpaquePointer

    init(_ file: ModelFile, runtime: OpenVINO) throws {
        var model: OpaquePointer?
        let readable = try RuntimeReadableModel(file)
        let status = PathText.withSystemPath(readable.path) {
            runtime.functions.ov_core_read_model(runtime.core, $0, nil, &model)
        }
        guard status == 0, let model else {
            throw ODTError(
                .invalidFile,
                "\(file.name) cannot be read as a network (\(runtime.lastError)); it may be damaged: fetch it again")
        }
        self.runtime = runtime
        self.file = file
        self.model = model
    }

    /// Reads the changed content of an .onnx file. Returns `nil` if the runtime cannot read it.
    init?(_ content: [UInt8], of file: ModelFile, runtime: OpenVINO) {
        var model: OpaquePointer?
        let status = content.withUnsafeBytes {
            runtime.functions.ov_core_read_model_from_memory_buffer(
                runtime.core, $0.bindMemory(to: CChar.self).baseAddress, $0.count, nil, &model)
        }
        guard status == 0, let model else { return nil }
        self.runtime = runtime
        self.file = file
        self.model = model
    }

    deinit { runtime.functions.ov_model_free(model) }

    /// Frees the previous model.
    func replace(with model: OpaquePointer) {
        guard model != self.model else { return }
        runtime.functions.ov_model_free(self.model)
        self.model = model
    }

    /// An input or output of the model.
    struct Port {
        let description: TensorDescription
        let code: UInt32
        /// Whether the number of dimensions is dynamic.
        let anyRank: Bool
    }

    func ports() throws -> (inputs: [Port], outputs: [Port]) {
        let functions = runtime.functions
        return (
            try ports(count: functions.ov_model_inputs_size, port: functions.ov_model_const_input_by_index),
            try ports(count: functions.ov_model_outputs_size, port: functions.ov_model_const_output_by_index)
        )
    }

    func description() throws -> NetworkDescription {
        let (inputs, outputs) = try ports()
        return NetworkDescription(inputs: inputs.map(\.description), outputs: outputs.map(\.description))
    }

    private func ports(
        count: (OpaquePointer, UnsafeMutablePointer<Int>) -> ov_status,
        port: (OpaquePointer, Int, UnsafeMutablePointer<OpaquePointer?>) -> ov_status
    ) throws -> [Port] {
        var number = 0
        guard count(model, &number) == 0 else { throw unreadable() }
        return try (0..<number).map { index in
            var handle: OpaquePointer?
            guard port(model, index, &handle) == 0, let handle else { throw unreadable() }
            defer { runtime.functions.ov_output_const_port_free(handle) }
            return try describe(handle)
        }
    }

    private func describe(_ port: OpaquePointer) throws -> Port {
        let functions = runtime.functions
        let name = functions.text { functions.ov_port_get_any_name(port, $0) } ?? ""
        var code: UInt32 = 0
        var shape = ov_partial_shape()
        guard functions.ov_port_get_element_type(port, &code) == 0,
            functions.ov_port_get_partial_shape(port, &shape) == 0
        else { throw unreadable() }
        defer { functions.ov_partial_shape_free(&shape) }
        let anyRank = shape.rank.min != shape.rank.max || shape.rank.max < 0
        let dimensions = anyRank ? [] : (0..<Int(shape.rank.max)).compactMap { shape.dims?[$0] }
        return Port(
            description: TensorDescription(
                name: name, shape: dimensions.map { $0.min == $0.max && $0.max >= 0 ? Int($0.max) : nil },
                element: passedOn(code)),
            code: code, anyRank: anyRank)
    }

    /// Returns the element type in which decoders receive an output. Types that decoders do not support are converted
    /// to 32-bit floats.
    func passedOn(_ code: UInt32) -> TensorElement {
        runtime.elements[code].flatMap { $0 == .float16 ? nil : $0 } ?? .float32
    }

    private func unreadable() -> ODTError {
        ODTError(.invalidFile, "the inputs and outputs of \(file.name) cannot be read: \(runtime.lastError)")
    }
}

/// A model file that the runtime can read: the original file, or a temporary copy from which an unsupported operation
/// (``TFLitePostProcess``) was removed, or whose weights were rescaled (``TFLiteWeights``). `deinit` deletes the copy.
final class RuntimeReadableModel {
    let path: String
    private let isCopy: Bool

    init(_ file: ModelFile) throws {
        guard let content = try Self.changed(file) else {
            path = file.path
            isCopy = false
            return
        }
        let folder = DataFolders.temporary
        let copy = content.withUnsafeBytes { UniqueFile.write($0, named: folder + "/swiftodt-", ending: ".tflite") }
        guard let copy else {
            throw ODTError(
                .failed,
                "cannot write a temporary copy of \(file.name) to \(folder); set TMPDIR to a writable folder "
                    + "with enough space, or raise the file size limit (ulimit -f)")
        }
        path = copy
        isCopy = true
    }

    /// Returns `nil` if the file needs no change.
    private static func changed(_ file: ModelFile) throws -> [UInt8]? {
        guard let model = try FlatBuffer.read(tflite: file.path) else { return nil }
        let cut = TFLitePostProcess(model: model)?.cut(model.bytes)
        guard TFLiteWeights.overflow, let rescaled = TFLiteWeights(model: model)?.rescaled(cut ?? model.bytes) else {
            return cut
        }
        Diagnostics.report(
            .info, "\(file.name): the 8-bit weights are rescaled, because this processor has no VNNI instructions")
        return rescaled
    }

    deinit { if isCopy { unlink(path) } }
}
