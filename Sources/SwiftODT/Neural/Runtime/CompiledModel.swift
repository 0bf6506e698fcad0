import CODTOpenVINO
import Glibc

/// The device and settings that a model is compiled for.
struct CompilationTarget: Hashable {
    var device: String
    /// 0 uses the runtime's default.
    var threads: Int
    var hint: InferenceHint
}

/// A model that the runtime has compiled for a ``CompilationTarget``.
///
/// `@unchecked Sendable`: all properties are constant.
final class CompiledModel: @unchecked Sendable {
    let runtime: OpenVINO
    let model: OpaquePointer

    /// The bytes from which the model was restored. `nil` if the model was compiled. The runtime may read weights from
    /// these bytes as long as the model exists.
    private let bytes: FileBlock?

    private init(_ model: OpaquePointer, runtime: OpenVINO, bytes: FileBlock? = nil) {
        self.model = model
        self.runtime = runtime
        self.bytes = bytes
    }

    /// Freeing the runtime's model takes milliseconds. A separate thread does it, because a streaming thread may
    /// release the last reference.
    deinit {
        guard InFlightInferences.enter() else { return }
        let free = { @Sendable [runtime, bytes, address = UInt(bitPattern: model)] in
            withExtendedLifetime(bytes) { runtime.functions.ov_compiled_model_free(OpaquePointer(bitPattern: address)) }
            InFlightInferences.leave()
        }
        if !DetachedThread.run(free) { free() }
    }

    /// Calls must not overlap, because the settings of `target` are set for the whole device before the compilation.
    static func compile(_ read: LoadedModel, for target: CompilationTarget) throws -> CompiledModel {
        var compiled: OpaquePointer?
        guard read.runtime.set(target),
            withUnsafePointer(
                to: read.runtime.functions,
                { swiftodt_openvino_compile($0, read.runtime.core, read.model, target.device, &compiled) }) == 0,
            let compiled
        else {
            throw ODTError(
                .unsupported,
                "\(read.file.name) cannot be compiled for \(target.device): \(read.runtime.lastError)"
                    + (target.device == "CPU"
                        ? "" : "; use device=CPU, or run \"odt setup --all-devices\" to install other devices"))
        }
        return CompiledModel(compiled, runtime: read.runtime)
    }

    /// Restores a model from bytes that ``exported()`` has returned. Returns `nil` if the runtime rejects the bytes.
    static func restore(_ bytes: FileBlock, for target: CompilationTarget, runtime: OpenVINO) -> CompiledModel? {
        var compiled: OpaquePointer?
        let content = bytes.content.bindMemory(to: CChar.self)
        guard runtime.set(target),
            runtime.functions.ov_core_import_model(
                runtime.core, content.baseAddress, content.count, target.device, &compiled) == 0,
            let compiled
        else { return nil }
        return CompiledModel(compiled, runtime: runtime, bytes: bytes)
    }

    /// Returns bytes for ``restore(_:for:runtime:)``, or `nil` if the runtime cannot export the model. The runtime's C
    /// interface exports only to a path, so the model is exported to a file in memory.
    func exported() -> FileBlock? {
        let file = swiftodt_file_in_memory()
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard runtime.functions.ov_compiled_model_export_model(model, "/proc/self/fd/\(file)") == 0 else { return nil }
        return FileBlock(descriptor: file)
    }

    /// The number of concurrent inferences that the runtime recommends.
    var requestCount: Int {
        let text = runtime.functions.text {
            runtime.functions.ov_compiled_model_get_property(model, "OPTIMAL_NUMBER_OF_INFER_REQUESTS", $0)
        }
        return max(1, text.flatMap { Int($0) } ?? 1)
    }
}

extension OpenVINO {
    /// Sets the properties of a device for later compilations and imports of models. The import of a model has no
    /// parameters for these properties.
    ///
    /// - Returns: whether the device supports the properties that the target needs.
    fileprivate func set(_ target: CompilationTarget) -> Bool {
        withUnsafePointer(to: functions) { functions in
            // `AUTO:GPU,CPU` accepts no properties, but its devices do.
            let members = target.device.drop { $0 != ":" }.dropFirst().split(separator: ",").map(String.init)
            func set(_ key: String, _ value: String) -> Bool {
                let codes = (members.isEmpty ? [target.device] : members).map {
                    swiftodt_openvino_set(functions, core, $0, key, value)
                }
                return !members.isEmpty || codes == [0]
            }
            // A pinned thread would be slow whenever another thread of the pipeline uses the same processor.
            _ = set("ENABLE_CPU_PINNING", "NO")
            // Devices other than CPUs do not have this property. An error is ignored if the target specifies no number
            // of threads (0). On a CPU, 0 resets a number that was set before.
            let threads = set("INFERENCE_NUM_THREADS", String(target.threads)) || target.threads == 0
            return threads && set("PERFORMANCE_HINT", target.hint == .latency ? "LATENCY" : "THROUGHPUT")
        }
    }

    /// The name includes the processor model.
    func fullName(of device: String) -> String {
        functions.text { functions.ov_core_get_property(core, device, "FULL_DEVICE_NAME", $0) } ?? device
    }
}
