/// Reads a detection network's outputs: tensors in, detections out. One conforming type a family of networks.
public protocol DetectionDecoder: Sendable {
    /// How the picture has to enter the network.
    var input: NetworkInput { get }

    /// Whether what it says of a part of a picture holds for the picture, too.
    var supportsTiles: Bool { get }

    /// The names that detections can have; empty where they have none, `nil` where that is not known.
    var labels: [String]? { get }

    /// Turns the outputs, in the order of the network's description, into detections: decoded, suppressed, strongest first.
    ///
    /// Called on any thread, several calls at once. Shapes are checked, not trusted.
    func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) throws -> [Detection]
}

extension DetectionDecoder {
    public var supportsTiles: Bool { true }
    public var labels: [String]? { nil }
}
