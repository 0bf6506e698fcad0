import CODTOpenVINO
import Glibc

/// The inference runtime OpenVINO. Its library is loaded at the first use in a process and never unloaded.
final class OpenVINO: @unchecked Sendable {
    let functions: swiftodt_openvino
    /// Shared by all networks. It is never freed, because threads may use it until the process ends.
    let core: OpaquePointer
    /// The version that the library reports, for example `2026.4.1-22982-...`.
    let version: String
    let elements: ElementCodes

    private static let oldest = (year: 2023, release: 1)
    private static let loaded = Monitor<OpenVINO?>(nil)

    /// If an earlier call has not found the runtime, this call searches again, because `odt setup` may have installed
    /// it in the meantime.
    static func shared() throws -> OpenVINO {
        try loaded.update { loaded in
            if let loaded { return loaded }
            guard let runtime = try InFlightInferences.within({ try OpenVINO() }) else { throw CancellationError() }
            loaded = runtime
            return runtime
        }
    }

    private init() throws {
        try FreeDescriptors.require()
        try FreeAddressSpace.require()
        guard swiftodt_openvino_is_loadable() else {
            throw ODTError(
                .runtimeMissing,
                "OpenVINO cannot be used in this process, which loaded libgcc_s before GStreamer and libstdc++ after it: the first exception would "
                    + "end the process; load GStreamer first (in Python: import gi and call Gst.init before NumPy is imported)"
            )
        }
        let functions = try InFlightInferences.drainAtExit(during: { try Self.load(RuntimeSearch.candidates()) })
        self.functions = functions
        try InFlightInferences.drainAtExit(during: { Self.preload(functions, "_frontend") })
        version = Self.version(of: functions)
        let numbers = version.split(separator: "-")[0].split(separator: ".").map { Int($0) ?? 0 }
        // The library of a custom build may have no version number. It is accepted if it has all functions.
        if numbers.count >= 2, numbers[0] > 0,
            (numbers[0], numbers[1]) < (Self.oldest.year, Self.oldest.release)
        {
            throw Self.tooOld("it is " + version)
        }
        var core: OpaquePointer?
        guard try InFlightInferences.drainAtExit(during: { functions.ov_core_create(&core) }) == 0, let core else {
            throw ODTError(
                .runtimeMissing, "OpenVINO \(version) does not start: " + Self.lastError(functions))
        }
        self.core = core
        elements = try InFlightInferences.drainAtExit(during: {
            // Provokes an exception in the runtime while file descriptors are available. Catching the first exception
            // in a process can open two file descriptors, which stay open (see ``FreeDescriptors``). Later exceptions
            // are then caught even if no descriptors are free.
            _ = functions.text { functions.ov_core_get_property(core, "no such device", "FULL_DEVICE_NAME", $0) }
            return ElementCodes(functions)
        })
    }

    /// Creates a copy of a runtime with a different table of C functions, for tests.
    init(_ runtime: OpenVINO, functions: swiftodt_openvino) {
        self.functions = functions
        core = runtime.core
        version = runtime.version
        elements = runtime.elements
    }

    /// Loads plugins of the runtime with the flag RTLD_DEEPBIND, which the runtime itself would not use. Loads the
    /// plugins whose file names contain `part`. Does nothing if the process does not need the flag (see unwinding.c).
    private static func preload(_ functions: swiftodt_openvino, _ part: String) {
        withUnsafePointer(to: functions) { swiftodt_openvino_preload($0, part) }
    }

    /// Loads the runtime's plugins for a device such as `CPU` or `AUTO:GPU,CPU`.
    func loadPlugins(of device: String) {
        for name in device.split(whereSeparator: { !$0.isLetter }) {
            Self.preload(functions, "_\(name.lowercased())_plugin")
        }
        _ = fullName(of: device)
    }

    /// Loads the first file that can be loaded.
    static func load(_ candidates: RuntimeSearch.Candidates) throws -> swiftodt_openvino {
        var reasons: [String] = []
        for file in candidates.files {
            var functions = swiftodt_openvino()
            var lacking = false
            guard let reason = swiftodt_openvino_load(file, &functions, &lacking) else { return functions }
            if lacking { throw tooOld("\(file) has no \(String(cString: reason))") }
            if file.contains("/") { reasons.append(String(cString: reason)) }
        }
        let causes = reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"
        throw ODTError(
            .runtimeMissing,
            "OpenVINO was not found in \(candidates.places.joined(separator: ", "))\(causes); run \"odt setup\" (in a checkout Pipelines/setup), or set SWIFTODT_OPENVINO to its libopenvino_c.so "
                + "or the folder that holds it")
    }

    private static func tooOld(_ how: String) -> ODTError {
        ODTError(
            .runtimeMissing,
            "this OpenVINO is too old: \(how); \(oldest.year).\(oldest.release) or newer is needed, \"odt setup\" gets it (in a checkout Pipelines/setup)"
        )
    }

    private static func version(of functions: swiftodt_openvino) -> String {
        var version = ov_version()
        guard functions.ov_get_openvino_version(&version) == 0 else { return "0" }
        defer { functions.ov_version_free(&version) }
        let text = version.build_number.map { String(cString: $0) } ?? ""
        return text.isEmpty ? "0" : text
    }

    /// The first lines of the runtime's message for the latest error on this thread.
    var lastError: String { Self.lastError(functions) }

    private static func lastError(_ functions: swiftodt_openvino) -> String {
        guard let message = functions.ov_get_last_err_msg() else { return "no reason given" }
        defer { functions.ov_free(message) }
        // The message begins with source locations in OpenVINO, which do not help users.
        let lines = String(cString: message).split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("Exception from") && !$0.hasPrefix("Check '") }
        let text = lines.prefix(2).joined(separator: " ")
        return text.isEmpty ? "no reason given" : String(text.prefix(300))
    }
}

extension swiftodt_openvino {
    /// Calls a function of the runtime that allocates a text. Returns `nil` if the function fails.
    func text(_ read: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> ov_status) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard read(&text) == 0, let text else { return nil }
        defer { ov_free(text) }
        return String(cString: text)
    }
}

/// The performance hint for the runtime. The runtime derives the precision and the numbers of streams and threads from
/// it.
package enum InferenceHint: Hashable, Sendable {
    /// Minimum latency: all threads work on one picture.
    case latency
    /// Maximum throughput: several inferences are in flight at once.
    case throughput
}

/// The inference runtime of this machine, for reports.
///
///     let runtime = try InferenceRuntime.find()
///     print("OpenVINO", runtime.version, "on", runtime.processor)
package struct InferenceRuntime: Sendable {
    /// Without the build suffix.
    package let version: String
    package let processor: String

    /// Loads the runtime. This takes time only at the first call in a process.
    ///
    /// - Throws: ``ODTError`` that names the searched folders and the command that installs the runtime.
    package static func find() throws -> InferenceRuntime {
        let runtime = try OpenVINO.shared()
        return InferenceRuntime(
            version: runtime.version.split(separator: "-").first.map(String.init) ?? runtime.version,
            processor: runtime.fullName(of: "CPU"))
    }
}

/// The numeric codes for element types in the loaded version of the runtime.
///
/// The codes differ between versions of the runtime, so they cannot be taken from a header. They are derived from the
/// sizes in bytes of tensors with eight elements.
struct ElementCodes: Sendable {
    let float32: UInt32
    let uint8: UInt32
    private let types: [UInt32: TensorElement]

    init(_ functions: swiftodt_openvino) {
        // The order of the codes: ... boolean, bf16, f16, f32, f64, i4, i8, i16, i32, i64, u1, other types below 8
        // bits, u8 ...
        let float32: UInt32 = Self.bytes(ofEight: 4, functions) == 32 ? 4 : 5
        let bit = float32 + 7
        let uint8 = (bit + 1...bit + 8).first { Self.bytes(ofEight: $0, functions) == 8 } ?? bit + 5
        self.float32 = float32
        self.uint8 = uint8
        types = [
            float32 - 1: .float16, float32: .float32, float32 + 3: .int8, float32 + 5: .int32, float32 + 6: .int64,
            uint8: .uint8,
        ]
    }

    /// `nil` for a type that is not a ``TensorElement``.
    subscript(code: UInt32) -> TensorElement? { types[code] }

    private static func bytes(ofEight code: UInt32, _ functions: swiftodt_openvino) -> Int {
        var shape = ov_shape()
        var eight: Int64 = 8
        var tensor: OpaquePointer?
        guard functions.ov_shape_create(1, &eight, &shape) == 0 else { return 0 }
        defer { _ = functions.ov_shape_free(&shape) }
        guard functions.ov_tensor_create(code, shape, &tensor) == 0, let tensor else { return 0 }
        defer { functions.ov_tensor_free(tensor) }
        var bytes = 0
        return functions.ov_tensor_get_byte_size(tensor, &bytes) == 0 ? bytes : 0
    }
}

/// Searches for OpenVINO's C library in this order: the Python package `openvino`, the folders of `odt setup`, the
/// system's library folders. The Python package is searched only if a Python wheel has installed this plugin or
/// program. If the environment variable `SWIFTODT_OPENVINO` is set, only the file or folder that it names is searched.
enum RuntimeSearch {
    private static let library = "libopenvino_c.so"

    /// `files` contains the files to try, in this order. `places` names the searched folders, for messages.
    struct Candidates {
        var files: [String]
        var places: [String]
    }

    /// - Parameter named: the only file or folder to search, if the user has specified one.
    static func candidates(named: String? = DataFolders.environment("SWIFTODT_OPENVINO")) -> Candidates {
        if let named {
            var status = stat()
            let isFolder = stat(named, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            return Candidates(
                files: isFolder ? libraries(inAndBelow: named) : [named], places: ["SWIFTODT_OPENVINO=" + named])
        }
        let own = (DataFolders.pythonPackage("openvino").map { [$0] } ?? []) + DataFolders.holding("openvino")
        var files = own.flatMap(libraries(inAndBelow:))
        // For a name without a folder, the dynamic loader searches `LD_LIBRARY_PATH` and its own cache.
        files.append(library)
        files += systemFolders.flatMap(libraries(in:))
        return Candidates(files: files, places: own + ["the system's library folders"])
    }

    private static let systemFolders = [
        "/usr/local/lib", "/usr/local/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
        "/usr/lib", "/opt/intel/openvino/runtime/lib/intel64", "/opt/intel/openvino/runtime/lib/aarch64",
    ]

    /// Includes the subfolders that OpenVINO's Python wheel and archives use.
    private static func libraries(inAndBelow folder: String) -> [String] {
        ["", "/libs", "/lib", "/openvino/libs", "/runtime/lib/intel64", "/runtime/lib/aarch64"]
            .flatMap { libraries(in: folder + $0) }
    }

    /// Returns the newest version first. OpenVINO's Python wheel has only a versioned name such as
    /// `libopenvino_c.so.2641`.
    private static func libraries(in folder: String) -> [String] {
        let names = FilePath.names(in: folder).filter { $0 == library || $0.hasPrefix(library + ".") }
        let found = names.map { name in
            (
                version: name.dropFirst(library.count).split(separator: ".").map { Int($0) ?? 0 },
                file: folder + "/" + name
            )
        }
        return found.sorted { $1.version.lexicographicallyPrecedes($0.version) }.map(\.file)
    }
}
