import CODTOpenVINO
import Glibc
import Synchronization

/// A network compiled for a device. Detectors in the same process share one network if their files, input formats,
/// devices, thread counts and hints are equal.
package final class Network: Sendable {
    /// Dimensions of outputs are dynamic if they depend on the content of the picture.
    package let description: NetworkDescription
    package let input: NetworkInput
    /// The number of concurrent inferences that the runtime recommends for the performance hint.
    package let requestCount: Int

    let compiled: CompiledModel
    /// The file name that the user specified, for messages.
    let name: String
    let pictureInput: Int
    /// Whether the elements of the picture input are bytes. Otherwise they are floats.
    let bytes: Bool
    private let inferenceCount = Atomic(0)

    /// - Throws: ``ODTError`` if no input is a picture.
    init(
        _ compiled: CompiledModel, _ description: NetworkDescription, name: String, input: NetworkInput
    ) throws {
        guard let picture = description.pictureInput else {
            throw ODTError(.unsupported, "\(name) has no picture input")
        }
        self.compiled = compiled
        self.description = description
        self.name = name
        pictureInput = picture
        self.input = input.fitting(description.inputs[picture].shape)
        bytes = description.inputs[picture].element == .uint8
        requestCount = compiled.requestCount
    }

    /// Restores a network from the cache on disk, if the restored network passes the check. Otherwise compiles the
    /// model.
    private static func make(_ key: Key, check: WarmUpCheck?) throws -> Network {
        let runtime = try OpenVINO.shared()
        let cache = NetworkCache(runtime: runtime)
        try loadLibrary(of: key.target.device)
        if let (compiled, description) = cache?.compiled(key.file, input: key.input, target: key.target) {
            Diagnostics.report(.info, "\(key.file.name): the cache has it compiled by OpenVINO \(runtime.version)")
            do {
                let network = try Network(compiled, description, name: key.file.name, input: key.input)
                try network.warmUp(check)
                return network
            } catch  where !(error is CancellationError) {
                Diagnostics.report(.info, "the cached network does not work and is compiled again: \(error)")
            }
        }
        let (compiled, description, taken) = try compile(key, runtime)
        Diagnostics.report(
            .info,
            "\(key.file.name): not in the cache; OpenVINO \(runtime.version) has compiled it for \(key.target.device) in "
                + "\(taken) ms")
        let network = try Network(compiled, description, name: key.file.name, input: key.input)
        try network.warmUp(check)
        if taken >= worthKeeping {
            cache?.keep(compiled, description, of: key.file, input: key.input, target: key.target)
        }
        return network
    }

    /// Throws an error if the outputs for the ``ReferencePicture`` are wrong.
    package typealias WarmUpCheck = (_ outputs: [TensorView], _ placement: InputPlacement) throws -> Void

    /// Runs the network once with the ``ReferencePicture`` before its first use. During this inference, the runtime
    /// generates code and registers its exit handlers (see ``InFlightInferences``).
    private func warmUp(_ check: WarmUpCheck?) throws {
        let request = try InferenceRequest(self)
        let placement = try ReferencePicture.withFrame { try request.fill(from: $0) }
        do {
            try request.infer()
        } catch let error as ODTError where check == nil {
            // Some networks fail for some pictures. If there is no check, such a failure is not an error.
            Diagnostics.report(.info, "the inference of the test picture failed: \(error)")
            return
        }
        try check?(request.outputs(), placement)
    }

    /// Counts an inference. The runtime can register exit handlers even after the first inference, for example in the
    /// first inference that detects an object. The exit handler of ``InFlightInferences`` must run before these
    /// handlers. It is therefore registered again after each inference whose number is a power of two.
    func noteInference() {
        let number = inferenceCount.add(1, ordering: .relaxed).newValue
        if number & (number - 1) == 0 { InFlightInferences.drainAtExit() }
    }

    /// Reads, adapts and compiles a model. Measures the compilation time.
    private static func compile(
        _ key: Key, _ runtime: OpenVINO
    ) throws -> (CompiledModel, NetworkDescription, milliseconds: Nanoseconds) {
        let read = try LoadedModel.prepared(key.file, for: key.input, runtime: runtime)
        let begin = MonotonicClock.now
        let compiled = try CompiledModel.compile(read, for: key.target)
        let description = try read.description()
        return (compiled, description, (MonotonicClock.now - begin) / 1_000_000)
    }

    /// A network is stored in the cache if its compilation took at least this time, in milliseconds.
    private static let worthKeeping = 50

    /// Returns the inputs and outputs of a network without compiling it.
    ///
    /// - Throws: ``ODTError`` if the file or the runtime is missing or damaged.
    package static func inspect(file: String) throws -> NetworkDescription {
        let file = try ModelFile(file)
        return try unlessExiting {
            let runtime = try OpenVINO.shared()
            let cache = NetworkCache(runtime: runtime)
            if let description = cache?.description(of: file) { return description }
            let description = try InFlightInferences.drainAtExit(during: {
                try LoadedModel(file, runtime: runtime).description()
            })
            cache?.keep(description, of: file)
            return description
        }
    }

    /// Loads the runtime's plugins for a device. Call this function before another thread compiles a network. The other
    /// thread then loads no library. If a thread loaded a library while the process exits, `exit()` would destroy the
    /// static objects of the library without waiting for the thread.
    static func loadLibrary(of device: String) throws {
        try unlessExiting {
            let runtime = try OpenVINO.shared()
            try InFlightInferences.drainAtExit(during: { runtime.loadPlugins(of: device) })
        }
    }

    /// Returns a compiled network. If the same network is already in use in this process, returns the existing network.
    ///
    /// Dynamic dimensions of the picture input get the size of `input`. The batch size becomes 1. Compiling can take
    /// seconds. Restoring a network from the cache on disk is much faster.
    ///
    /// - Parameters:
    ///   - threads: the maximum number of inference threads. 0 uses the runtime's default.
    ///   - check: if a cached network fails the check, the network is compiled again. If the newly compiled network
    ///     fails the check, `load` throws the error.
    /// - Throws: ``ODTError`` that names the file and the remedy.
    package static func load(
        file: String, input: NetworkInput, device: String = "CPU", threads: Int = 0, hint: InferenceHint,
        check: WarmUpCheck? = nil
    ) throws -> Network {
        guard (0...1024).contains(threads) else {
            throw ODTError(
                .invalidOption, "the number of threads is \(threads); use 0 for the default, or 1 to 1024")
        }
        guard !device.isEmpty else {
            throw ODTError(.invalidOption, "the device is empty; use device=CPU or the name of another device")
        }
        let target = CompilationTarget(device: device, threads: threads, hint: hint)
        let key = Key(file: try ModelFile(file), input: input, target: target)
        // The lock is held during compilation. If two callers need the same network, the second caller waits and gets
        // the network of the first.
        return try loaded.update { loaded in
            if let network = loaded[key]?.network { return network }
            let network = try unlessExiting {
                try InFlightInferences.drainAtExit(isFirst: loaded[key] == nil, during: { try make(key, check: check) })
            }
            loaded[key] = Reference(network: network)
            return network
        }
    }

    /// Runs `body`, which calls the runtime. Throws ``ODTError`` if the process has begun to exit.
    private static func unlessExiting<Answer>(_ body: () throws -> Answer) throws -> Answer {
        do {
            if let answer = try InFlightInferences.within(body) { return answer }
        } catch is CancellationError {}
        throw ODTError(.failed, "cannot load a network, because the program is exiting")
    }

    /// Creates a request. Reuse requests, because each request allocates memory for inputs and outputs.
    package func makeRequest() throws -> InferenceRequest { try Self.unlessExiting { try InferenceRequest(self) } }

    /// Callers with equal keys share one network.
    private struct Key: Hashable {
        let file: ModelFile
        let input: NetworkInput
        let target: CompilationTarget
    }

    private struct Reference {
        weak var network: Network?
    }

    /// The references are weak, so an unused network is freed.
    private static let loaded = Monitor<[Key: Reference]>([:])
}

extension KnownAnswer {
    /// Returns the error for a network whose detections in the ``ReferencePicture`` are not the expected ones.
    /// `problem` describes the difference.
    static func error(_ problem: String, file: String, device: String) -> ODTError {
        let runtime =
            (try? OpenVINO.shared().version.split(separator: "-").first).map { "OpenVINO \($0)" } ?? "the runtime"
        return ODTError(
            .failed,
            "\(file) fails its known-answer test on \(device): \(problem). The model is damaged, or \(runtime) "
                + "computes wrong results on this processor; \"odt doctor\" checks the model's files, \"odt setup\" fetches model and runtime again"
        )
    }
}
