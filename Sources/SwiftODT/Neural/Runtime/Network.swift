import COpenVINO
import Glibc
import Synchronization

/// A network compiled for a device, shared by all users in the process with the same file, input and target.
package final class Network: Sendable {
    /// The inputs and outputs of the compiled network. The dimensions of an output that depend on the picture stay
    /// open.
    package let description: NetworkDescription
    /// The format of the picture input.
    package let input: NetworkInput
    /// The number of concurrent inferences that the runtime recommends for the hint.
    package let requestCount: Int

    let compiled: CompiledModel
    /// The file name that the user gave, for messages.
    let name: String
    /// The index of the picture input.
    let pictureInput: Int
    /// Whether the picture input is of bytes, not floats.
    let bytes: Bool
    private let inferenceCount = Atomic(0)

    /// - Throws: ``ODTError`` if no input is a picture.
    init(
        _ compiled: CompiledModel, _ description: NetworkDescription, name: String, input: NetworkInput
    ) throws {
        guard let picture = description.pictureInput else {
            throw ODTError(.unsupported, "\(name) has no input for a picture")
        }
        self.compiled = compiled
        self.description = description
        self.name = name
        pictureInput = picture
        self.input = input.fitting(description.inputs[picture].shape)
        bytes = description.inputs[picture].element == .uint8
        requestCount = compiled.requestCount
    }

    /// Returns a network that has run once: restored from the cache if it passes the check, else compiled.
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
                Diagnostics.report(.info, "what the cache has does not work and is compiled anew: \(error)")
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

    /// Checks the outputs for the ``ReferencePicture``.
    typealias WarmUpCheck = (_ outputs: [TensorView], _ placement: InputPlacement) throws -> Void

    /// Runs the network once before its first use: the runtime generates its code and registers its exit handlers
    /// (see ``InFlightInferences``).
    private func warmUp(_ check: WarmUpCheck?) throws {
        let request = try InferenceRequest(self)
        let placement = try ReferencePicture.withFrame { try request.fill(from: $0) }
        do {
            try request.infer()
        } catch let error as ODTError where check == nil {
            // Some networks fail for some pictures.
            Diagnostics.report(.info, "the test picture: \(error)")
            return
        }
        try check?(request.outputs(), placement)
    }

    /// Counts an inference. Later inferences can also make the runtime register exit handlers, for example the first
    /// one with a detection. The exit handler is therefore registered again after each inference whose number is a
    /// power of two.
    func noteInference() {
        let number = inferenceCount.add(1, ordering: .relaxed).newValue
        if number & (number - 1) == 0 { InFlightInferences.drainAtExit() }
    }

    /// Reads and compiles a network, and measures the compilation time. The read model is freed at the end.
    private static func compile(
        _ key: Key, _ runtime: OpenVINO
    ) throws -> (CompiledModel, NetworkDescription, milliseconds: Nanoseconds) {
        let read = try LoadedModel.prepared(key.file, for: key.input, runtime: runtime)
        let begin = MonotonicClock.now
        let compiled = try CompiledModel.compile(read, for: key.target)
        let description = try read.description()
        return (compiled, description, (MonotonicClock.now - begin) / 1_000_000)
    }

    /// The minimum compilation time in milliseconds for a network to be cached.
    private static let worthKeeping = 50

    /// Returns the inputs and outputs of a network without compiling it, which suffices to recognise its family.
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

    /// Loads the runtime's plugins for a device. `exit()` cannot wait for a library that another thread is loading,
    /// and destroys its static objects in the meantime. A caller that loads the plugins here and compiles on another
    /// thread avoids that.
    static func loadLibrary(of device: String) throws {
        try unlessExiting {
            let runtime = try OpenVINO.shared()
            try InFlightInferences.drainAtExit(during: { runtime.loadPlugins(of: device) })
        }
    }

    /// Compiles a network, or returns the one that another user of this process has compiled already.
    ///
    /// Open dimensions become those of `input`, the batch becomes 1. Compiling can take seconds; a network in the
    /// cache on disk loads much faster.
    ///
    /// - Parameter threads: the maximum number of inference threads; 0 leaves it to the runtime.
    /// - Throws: ``ODTError`` that names the file and the remedy.
    package static func load(
        file: String, input: NetworkInput, device: String = "CPU", threads: Int = 0, hint: InferenceHint
    ) throws -> Network {
        try load(file: file, input: input, device: device, threads: threads, hint: hint, check: nil)
    }

    /// - Parameter check: throws if the outputs for the ``ReferencePicture`` are wrong; a network that fails the
    ///   check is not shared.
    static func load(
        file: String, input: NetworkInput, device: String = "CPU", threads: Int = 0, hint: InferenceHint,
        check: WarmUpCheck?
    ) throws -> Network {
        guard threads >= 0 else { throw ODTError(.invalidOption, "\(threads) threads cannot infer anything") }
        let target = CompilationTarget(device: device, threads: threads, hint: hint)
        let key = Key(file: try ModelFile(file), input: input, target: target)
        // The lock is held while compiling, so that two callers with the same key share one network.
        return try inUse.update { inUse in
            if let network = inUse[key]?.network { return network }
            let network = try unlessExiting {
                try InFlightInferences.drainAtExit(during: { try make(key, check: check) })
            }
            inUse = inUse.filter { $0.value.network != nil }
            inUse[key] = Reference(network: network)
            return network
        }
    }

    private static func unlessExiting<Answer>(_ body: () throws -> Answer) throws -> Answer {
        do {
            if let answer = try InFlightInferences.within(body) { return answer }
        } catch is CancellationError {}
        throw ODTError(.failed, "the program is ending: no network is loaded any more")
    }

    /// Creates a request for this network. A request allocates its inputs and outputs, so reuse it.
    package func makeRequest() throws -> InferenceRequest { try Self.unlessExiting { try InferenceRequest(self) } }

    /// The properties that must be equal to share a compiled network.
    private struct Key: Hashable {
        let file: ModelFile
        let input: NetworkInput
        let target: CompilationTarget
    }

    private struct Reference {
        weak var network: Network?
    }

    private static let inUse = Monitor<[Key: Reference]>([:])
}
