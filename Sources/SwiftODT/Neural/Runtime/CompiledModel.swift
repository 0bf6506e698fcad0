import COpenVINO
import Glibc

/// The device and settings that a model is compiled for.
struct CompilationTarget: Hashable {
    var device: String
    var threads: Int
    var hint: InferenceHint
}

/// A compiled model.
///
/// `@unchecked Sendable`: all properties are constant, and the runtime synchronises the use of a compiled model.
final class CompiledModel: @unchecked Sendable {
    let runtime: OpenVINO
    let model: OpaquePointer

    /// The exported model it was restored from: the runtime may read its weights from there while the model exists.
    private let bytes: FileBlock?

    private init(_ model: OpaquePointer, runtime: OpenVINO, bytes: FileBlock? = nil) {
        self.model = model
        self.runtime = runtime
        self.bytes = bytes
    }

    /// Frees the model on a separate thread, because that takes milliseconds and the last reference may be released
    /// on a streaming thread.
    deinit {
        guard InFlightInferences.enter() else { return }
        let free = { @Sendable [runtime, bytes, address = UInt(bitPattern: model)] in
            withExtendedLifetime(bytes) { runtime.functions.ov_compiled_model_free(OpaquePointer(bitPattern: address)) }
            InFlightInferences.leave()
        }
        if !DetachedThread.run(free) { free() }
    }

    /// Compiles a model. Calls must not overlap, because the settings apply to the device as a whole.
    static func compile(_ read: LoadedModel, for target: CompilationTarget) throws -> CompiledModel {
        var compiled: OpaquePointer?
        guard read.runtime.set(target),
            read.runtime.withFunctions({
                swiftodt_openvino_compile($0, read.runtime.core, read.model, target.device, &compiled)
            }) == 0, let compiled
        else {
            throw ODTError(
                .unsupported,
                "\(read.file.name) cannot be compiled for \(target.device): \(read.runtime.lastError)"
                    + (target.device == "CPU"
                        ? "" : "; device=CPU always can, others need \"odt setup --all-devices\""))
        }
        return CompiledModel(compiled, runtime: read.runtime)
    }

    /// Restores a compiled model that was exported before; `nil` if the runtime rejects it.
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

    /// Returns the compiled model as bytes for ``restore(_:for:runtime:)``; `nil` if the runtime cannot export it.
    /// The runtime's C interface exports to a path only, so this function passes the path of a memory file.
    func exported() -> FileBlock? {
        let file = swiftodt_file_in_memory()
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard runtime.functions.ov_compiled_model_export_model(model, "/proc/self/fd/\(file)") == 0 else { return nil }
        return FileBlock(descriptor: file)
    }

    /// The number of concurrent inferences that the runtime recommends.
    var requestCount: Int {
        var text: UnsafeMutablePointer<CChar>?
        guard
            runtime.functions.ov_compiled_model_get_property(model, "OPTIMAL_NUMBER_OF_INFER_REQUESTS", &text) == 0,
            let text
        else { return 1 }
        defer { runtime.functions.ov_free(text) }
        return max(1, Int(String(cString: text)) ?? 1)
    }
}

extension OpenVINO {
    /// Sets the properties for later compilations on a device. They are device properties, because importing a model
    /// takes none.
    fileprivate func set(_ target: CompilationTarget) -> Bool {
        withFunctions { functions in
            func set(_ key: String, _ value: String) -> Bool {
                swiftodt_openvino_set(functions, core, target.device, key, value) == 0
            }
            // Pinning is off, because a thread that is pinned to a processor that other threads of the pipeline use
            // slows down the inference.
            _ = set("ENABLE_CPU_PINNING", "NO")
            // Only CPUs have this property. 0 resets an earlier number.
            let threads = set("INFERENCE_NUM_THREADS", String(target.threads)) || target.threads == 0
            return threads && set("PERFORMANCE_HINT", target.hint == .latency ? "LATENCY" : "THROUGHPUT")
        }
    }

    fileprivate func withFunctions<Answer>(_ body: (UnsafePointer<swiftodt_openvino>) -> Answer) -> Answer {
        withUnsafePointer(to: functions, body)
    }

    /// Returns the full name of a device, which includes the processor model.
    func fullName(of device: String) -> String {
        var text: UnsafeMutablePointer<CChar>?
        guard functions.ov_core_get_property(core, device, "FULL_DEVICE_NAME", &text) == 0, let text else {
            return device
        }
        defer { functions.ov_free(text) }
        return String(cString: text)
    }
}
