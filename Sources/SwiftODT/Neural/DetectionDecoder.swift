/// Converts the output tensors of a detection network into detections. Each network family has one conforming type.
package protocol DetectionDecoder: Sendable {
    /// The input that the network expects.
    var input: NetworkInput { get }

    /// Whether the network may infer a region instead of the full frame. If `false`, its detections in a region are not
    /// valid for the frame, and the detector always infers the full frame.
    var supportsTiles: Bool { get }

    /// The possible labels of detections. Empty if detections have no labels, `nil` if the labels are unknown.
    var labels: [String]? { get }

    /// Returns the detections in the outputs after non-maximum suppression, in descending order of score.
    ///
    /// The elements of `outputs` have the order of ``NetworkDescription/outputs``. Several threads may call this method
    /// at the same time. The method throws an error if the shape of an output does not match the description.
    func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) throws -> [Detection]
}

extension DetectionDecoder {
    package var supportsTiles: Bool { true }
    package var labels: [String]? { nil }
}
