import COpenVINO
import Glibc

/// A network ready to run on a device.
final class CompiledModel: @unchecked Sendable {
    let runtime: OpenVINO
    let model: OpaquePointer

    /// Compiles, by way of the cache on disk where that can be used.
    init(_ read: ReadModel, device: String, threads: Int, hint: InferenceHint) throws {
        runtime = read.runtime
        var properties = ["PERFORMANCE_HINT", hint == .latency ? "LATENCY" : "THROUGHPUT"]
        if threads > 0 { properties += ["INFERENCE_NUM_THREADS", String(threads)] }
        var compiled: OpaquePointer?
        if let folder = Self.cacheFolder() {
            compiled = Self.compile(read, device: device, properties: properties + ["CACHE_DIR", folder])
        }
        // What is in the cache may be damaged, or the disk full: neither is a reason to stop.
        compiled = compiled ?? Self.compile(read, device: device, properties: properties)
        guard let compiled else {
            throw DetectorError(
                .unsupported, "\(read.file.name) cannot be compiled for \(device): \(read.runtime.lastError)")
        }
        model = compiled
    }

    deinit { runtime.functions.ov_compiled_model_free(model) }

    /// What the runtime says of the compiled model.
    func property(_ name: String) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard runtime.functions.ov_compiled_model_get_property(model, name, &text) == 0, let text else { return nil }
        defer { runtime.functions.ov_free(text) }
        return String(cString: text)
    }

    private static func compile(_ read: ReadModel, device: String, properties: [String]) -> OpaquePointer? {
        var functions = read.runtime.functions
        var compiled: OpaquePointer?
        let texts = properties.map { strdup($0) }
        defer { for text in texts { free(text) } }
        let pairs = texts.map { UnsafePointer($0) }
        let status = swiftodt_openvino_compile(
            &functions, read.runtime.core, read.model, device, pairs, pairs.count / 2, &compiled)
        return status == 0 ? compiled : nil
    }

    /// The folder for compiled models, made if need be; `nil` where none can be written.
    private static func cacheFolder() -> String? {
        guard let folder = DataFolders.cache else { return nil }
        for end in folder.indices.filter({ folder[$0] == "/" }).dropFirst() + [folder.endIndex] {
            mkdir(String(folder[..<end]), 0o700)
        }
        return access(folder, W_OK | X_OK) == 0 ? folder : nil
    }
}
