import COpenVINO
import Glibc

/// A network compiled for a device, shared by all users in the process that ask for the same.
public final class Network: Sendable {
    /// Its inputs and outputs with the shapes they have once compiled. An output whose size depends on the picture stays open.
    public let description: NetworkDescription
    /// How a picture is put into it.
    public let input: NetworkInput
    /// How many inferences the runtime wants under way at once for the hint it was compiled with.
    public let requestCount: Int

    let compiled: CompiledModel
    /// The user's name for the file, for messages.
    let name: String
    /// Which of its inputs is the picture.
    let pictureInput: Int
    /// Whether it is fed bytes rather than floats.
    let bytes: Bool

    private init(_ key: Key) throws {
        let runtime = try OpenVINO.shared()
        name = key.file.name
        let cache = NetworkCache(runtime: runtime)
        // What loading the device's library has left behind, before compiling adds to it: that is where a process is largest.
        try Self.loadLibrary(of: key.target.device)
        swiftodt_openvino_give_back_memory()
        let kept = GivingBack.meanwhile { cache?.compiled(key.file, input: key.input, target: key.target) }
        if let (compiled, description) = kept {
            (self.compiled, self.description) = (compiled, description)
            Diagnostics.tell(.info, "\(key.file.name): the cache has it compiled by OpenVINO \(runtime.version)")
        } else {
            let taken: Nanoseconds
            (compiled, description, taken) = try GivingBack.meanwhile { try Self.compile(key, runtime) }
            // Keeping it takes memory of its own.
            swiftodt_openvino_give_back_memory()
            Diagnostics.tell(
                .info,
                "\(key.file.name): not in the cache; OpenVINO \(runtime.version) has compiled it for \(key.target.device) in "
                    + "\(taken) ms")
            if taken >= Self.worthKeeping {
                cache?.keep(compiled, description, of: key.file, input: key.input, target: key.target)
            }
        }
        swiftodt_openvino_give_back_memory()
        guard let picture = description.pictureInput else {
            throw ODTError(.unsupported, "\(key.file.name) has no input for a picture")
        }
        pictureInput = picture
        input = key.input.fitting(description.inputs[picture].shape)
        bytes = description.inputs[picture].element == .uint8
        requestCount = compiled.requestCount
    }

    /// Also says how many milliseconds compiling took. What was read is let go of at the end.
    private static func compile(
        _ key: Key, _ runtime: OpenVINO
    ) throws -> (CompiledModel, NetworkDescription, milliseconds: Nanoseconds) {
        let read = try ReadModel.prepared(key.file, for: key.input, runtime: runtime)
        let begin = MonotonicClock.now
        let compiled = try CompiledModel.compile(read, for: key.target)
        let description = try read.description()
        return (compiled, description, (MonotonicClock.now - begin) / 1_000_000)
    }

    /// Compiling that takes less, in milliseconds, is done again the next time.
    private static let worthKeeping = 50

    /// Reads a network without compiling it: enough to recognise its family by.
    ///
    /// - Throws: ``ODTError`` where the file is missing or damaged, or the runtime is.
    public static func inspect(file: String) throws -> NetworkDescription {
        let file = try ModelFile(file)
        return try unlessExiting {
            let runtime = try OpenVINO.shared()
            let cache = NetworkCache(runtime: runtime)
            if let description = cache?.description(of: file) { return description }
            let description = try ReadModel(file, runtime: runtime).description()
            cache?.keep(description, of: file)
            return description
        }
    }

    /// Loads what the runtime has for a device, as compiling would. A library that is still being loaded when another thread calls exit()
    /// is destroyed in parts, before ``RunsUnderWay`` can have that wait: who loads it here, and compiles elsewhere, leaves no time for that.
    static func loadLibrary(of device: String) throws {
        _ = try unlessExiting { try OpenVINO.shared().fullName(of: device) }
    }

    /// Compiles a network, or hands out the one that another user of this process has compiled already.
    ///
    /// Open dimensions become those of `input`, the batch becomes 1. Takes up to seconds the first time, much less when the compiled
    /// form is in the cache on disk.
    /// - Parameter threads: at most so many work on inference; 0 leaves it to the runtime.
    /// - Throws: ``ODTError`` that names the file and what to do.
    public static func load(
        file: String, input: NetworkInput, device: String = "CPU", threads: Int = 0, hint: InferenceHint
    ) throws -> Network {
        guard threads >= 0 else { throw ODTError(.invalidOption, "\(threads) threads cannot infer anything") }
        let target = CompilationTarget(device: device, threads: threads, hint: hint)
        let key = Key(file: try ModelFile(file), input: input, target: target)
        // The lock is kept while compiling: two who ask for the same at once share one.
        return try inUse.update { inUse in
            if let network = inUse[key]?.network { return network }
            let network = try unlessExiting { try Network(key) }
            inUse = inUse.filter { $0.value.network != nil }
            inUse[key] = Reference(network: network)
            return network
        }
    }

    private static func unlessExiting<Answer>(_ body: () throws -> Answer) throws -> Answer {
        guard let answer = try RunsUnderWay.within(body) else {
            throw ODTError(.failed, "the program is ending: no network is loaded any more")
        }
        return answer
    }

    /// A place to put a picture and to find the answer. Takes memory for both; make it once and use it again.
    public func makeRequest() throws -> InferenceRequest { try Self.unlessExiting { try InferenceRequest(self) } }

    /// What has to be the same for a compiled network to be shared.
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
