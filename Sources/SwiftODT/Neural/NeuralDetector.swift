/// Finds objects with a neural network: fills the network's input on the caller's thread, infers and decodes on the runtime's.
public final class NeuralDetector: Detector {
    public let network: Network
    public let capacity: Int

    /// - Parameters:
    ///   - threads: at most so many work on inference; 0 leaves it to the runtime.
    ///   - maximumInFlight: how many frames may be under way at once; 0 is as many as the runtime asks for.
    ///   - decoder: chooses who reads the outputs, and with that how the picture enters, by what the network looks like.
    public init(
        modelFile: String, device: String = "CPU", threads: Int = 0, hint: InferenceHint, maximumInFlight: Int = 0,
        decoder: (NetworkDescription) throws -> any DetectionDecoder
    ) throws {
        let decoder = try decoder(Network.inspect(file: modelFile))
        network = try Network.load(
            file: modelFile, input: decoder.input, device: device, threads: threads, hint: hint)
        capacity = maximumInFlight > 0 ? maximumInFlight : network.requestCount
    }

    public func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionTicket {
        DetectionTicket()
    }

    public func reset() {}

    /// How long preprocessing, inference and decoding took so far.
    public var timings: StageTimings { StageTimings() }
}
