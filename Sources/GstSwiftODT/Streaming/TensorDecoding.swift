import CGStreamer
import SwiftODT
import Synchronization

/// Decodes the tensors that an inference element upstream attached, with the decoders of our own networks.
final class TensorDecoding: Sendable {
    let traits: DetectorTraits
    private let file: String?
    private let manifest: ModelManifest?
    private let labels: Labels?
    private let state = Mutex(State())

    private struct State {
        /// The decoder for the latest shapes, with what it depends on.
        var decoder: (shapes: [[Int]], inputSize: InputSize, decoder: any DetectionDecoder)?
        var hasTensors = false
        var framesWithout = 0
    }

    /// - Throws: ``ODTError`` if a file that the settings name cannot be used.
    init(_ settings: Settings) throws {
        file = try settings.modelFile.map(ModelSearchPath.locate(named:))
        manifest = try file.flatMap(ModelManifest.load(model:))
        labels =
            try settings.labelFile.map(Labels.load(file:))
            ?? file.flatMap { [manifest] in try Labels.load(manifest: manifest, model: $0) }
        traits = try DetectorTraits(file: file, manifest: manifest)
    }

    /// Returns whether a buffer has tensors. Counts those without.
    ///
    /// - Parameter warn: receives a warning if no buffer had any.
    func accepts(_ buffer: UnsafeMutablePointer<GstBuffer>, warn: (ElementProblem) -> Void) -> Bool {
        let hasTensors = TensorMetadata(of: buffer) != nil
        let mustWarn = state.withLock { state in
            state.hasTensors = state.hasTensors || hasTensors
            if !hasTensors { state.framesWithout += 1 }
            return !state.hasTensors && state.framesWithout == Self.framesUntilWarning
        }
        if mustWarn { warn(Self.noTensors) }
        return hasTensors
    }

    /// - Parameter warn: receives a warning if no buffer had any tensors.
    func finishStream(warn: (ElementProblem) -> Void) {
        let mustWarn = state.withLock {
            !$0.hasTensors && $0.framesWithout > 0 && $0.framesWithout < Self.framesUntilWarning
        }
        if mustWarn { warn(Self.noTensors) }
    }

    private static let framesUntilWarning = 100

    private static var noTensors: ElementProblem {
        .settings(
            "detector=tensors detects nothing, because no frame has tensors; put an inference element such as onnxinference "
                + "before swiftodt")
    }

    /// - Throws: ``ODTError`` if the tensors cannot be read or belong to no known family.
    func detections(
        of buffer: UnsafeMutablePointer<GstBuffer>, in frame: Frame, options: DetectionOptions
    ) throws -> [Detection] {
        guard let metadata = TensorMetadata(of: buffer) else { return [] }
        return try metadata.withViews { descriptions, views in
            let decoder = try decoder(for: descriptions, of: views.map(\.shape), frame)
            // Inference elements scale nothing themselves: the frame is the network's input, or was one before it was
            // scaled.
            let whole = Box(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height))
            let placement = InputPlacement(
                scaleX: Double(decoder.input.width) / whole.width, scaleY: Double(decoder.input.height) / whole.height,
                offsetX: 0, offsetY: 0, region: whole, orientation: .identity)
            return try decoder.decode(views, placement: placement, options: options)
        }
    }

    private func decoder(
        for outputs: [TensorDescription], of shapes: [[Int]], _ frame: Frame
    ) throws -> any DetectionDecoder {
        let size = InputSize(
            width: manifest?.input.width ?? frame.width, height: manifest?.input.height ?? frame.height)
        let known = state.withLock { $0.decoder }
        if let known, known.shapes == shapes, known.inputSize == size { return known.decoder }
        let input = TensorDescription(name: "frame", shape: [1, 3, size.height, size.width], element: .float32)
        let network = NetworkDescription(inputs: [input], outputs: outputs)
        let decoder = try DetectionFamily.decoder(
            for: network, manifest: manifest, labels: labels, file: file ?? "the element before swiftodt")
        state.withLock { $0.decoder = (shapes, size, decoder) }
        return decoder
    }
}
