/// A network compiled for a device, shared by all users in the process that ask for the same.
public final class Network: Sendable {
    /// Its inputs and outputs with the shapes they have once compiled.
    public let description: NetworkDescription
    /// How a picture is put into it.
    public let input: NetworkInput
    /// How many inferences the runtime wants under way at once for the hint it was compiled with.
    public let requestCount: Int

    init(description: NetworkDescription, input: NetworkInput, requestCount: Int) {
        self.description = description
        self.input = input
        self.requestCount = requestCount
    }

    /// Reads a network without compiling it: enough to recognise its family by.
    public static func inspect(file: String) throws -> NetworkDescription {
        throw DetectorError(.runtimeMissing, "no inference runtime yet: cannot read \(file)")
    }

    /// Compiles a network, or hands out the one that another user of this process has compiled already.
    ///
    /// Open dimensions become those of `input`, the batch becomes 1. Mean and scale are worked in.
    /// - Parameter threads: at most so many work on inference; 0 leaves it to the runtime.
    public static func load(
        file: String, input: NetworkInput, device: String = "CPU", threads: Int = 0, hint: InferenceHint
    ) throws -> Network {
        throw DetectorError(.runtimeMissing, "no inference runtime yet: cannot load \(file)")
    }

    /// A place to put a picture and to find the answer. Takes memory for both; make it once and use it again.
    public func makeRequest() throws -> InferenceRequest {
        InferenceRequest(network: self)
    }
}
