/// Converts the output tensors of a detection network into detections. Each network family has one conforming type.
package protocol DetectionDecoder: Sendable {
    /// The input that the network expects.
    var input: NetworkInput { get }

    /// Whether detections in a region of a frame are valid for the frame. If not, the detector always infers the full
    /// frame.
    var supportsTiles: Bool { get }

    /// The names that detections can have; empty where they have none, `nil` where that is not known.
    var labels: [String]? { get }

    /// Returns the detections in the outputs after non-maximum suppression, in descending order of score.
    ///
    /// The outputs have the order of the network's description. Several threads may call this method at the same time.
    /// Throws an error if the shape of an output does not match the description.
    func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) throws -> [Detection]
}

extension DetectionDecoder {
    package var supportsTiles: Bool { true }
    package var labels: [String]? { nil }
}
