import CODTGStreamer
import SwiftODT
import Synchronization

/// Decodes the tensors that an inference element upstream attached. Uses the decoders of the neural detector.
final class TensorDecoding: Sendable {
    let traits: DetectorTraits
    private let file: String?
    private let manifest: ModelManifest?
    private let labels: Labels?
    private let state = Mutex(State())

    private struct State {
        /// The decoder for the latest tensors, and the tensors and input size for which it was created.
        var decoder: (outputs: [TensorDescription], inputSize: InputSize, decoder: any DetectionDecoder)?
        var hasTensors = false
        var framesWithout = 0
        /// The running time of the latest frame with tensors, or of the first frame of the epoch. `nil` before the first
        /// tensors.
        var latest: Nanoseconds?
        var hasWarnedOfGap = false
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

    /// `nil` if neither a label file nor the model has class names.
    var labelNames: [String]? { labels?.all.map(\.text) }

    var recordingFields: [RecordingHeader.Field] {
        var fields = [RecordingHeader.Field("detector", .string("tensors"))]
        if let model = traits.model {
            fields += [.init("model", .string(model.name)), .init("model-sum", .string(model.sum))]
        }
        if let threshold = traits.scoreThreshold { fields.append(.init("score-threshold", .number(threshold))) }
        if let groups = RecordingHeader.Field(labelGroups: traits.labelGroups) { fields.append(groups) }
        return fields
    }

    /// Returns whether a frame has a result: tensors, or no tensors although they have been missing for so long that the
    /// tracks have to end. Counts the frames without tensors.
    ///
    /// - Parameter warn: receives a warning if none of the first 100 frames had tensors, or if redaction cannot be
    ///   guaranteed and `privacy-strict` is `false`.
    /// - Throws: ``ODTError`` if objects are to be redacted and there have been no tensors for ``longestGap``, because
    ///   new objects would not be redacted.
    func accepts(_ context: FrameContext, warn: (ElementProblem) -> Void) throws(ODTError) -> Bool {
        let hasTensors = TensorMetadata(of: context.buffer) != nil
        let (mustWarn, hasGap, isOver) = state.withLock { state in
            state.hasTensors = state.hasTensors || hasTensors
            if hasTensors || context.beginsEpoch && state.latest != nil { state.latest = context.time }
            if !hasTensors { state.framesWithout += 1 }
            let gap = state.latest.map { abs(context.time - $0) } ?? 0
            let hasGap = gap > Self.longestGap
            defer { if hasGap { state.hasWarnedOfGap = true } }
            return (
                !state.hasTensors && state.framesWithout == Self.framesUntilWarning,
                hasGap && (context.settings.privacyStrict || !state.hasWarnedOfGap), gap > Self.timeUntilEmptyResult
            )
        }
        if mustWarn { warn(Self.noTensors) }
        if hasGap, context.settings.redacts {
            warn(
                try context.settings.redactionProblem(
                    "redaction cannot be guaranteed, because frames have had no tensors for more than a second; let the "
                        + "element before swiftodt attach tensors more often"))
        }
        return hasTensors || isOver
    }

    private static let longestGap: Nanoseconds = 1_000_000_000
    /// After this time without tensors, frames have an empty result, so that the tracks end.
    private static let timeUntilEmptyResult: Nanoseconds = 5_000_000_000

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

    /// - Throws: ``ODTError`` if the tensors cannot be read or no decoder matches them.
    func detections(
        of buffer: UnsafeMutablePointer<GstBuffer>, in frame: Frame, options: DetectionOptions
    ) throws -> [Detection] {
        guard let metadata = TensorMetadata(of: buffer) else { return [] }
        return try metadata.withViews { descriptions, views in
            let decoder = try decoder(for: descriptions, frame)
            // Boxes relate to the full frame. Inference elements do not scale frames, so the full frame was the
            // network's input. The frame may have been scaled after inference.
            let whole = Box(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height))
            let placement = InputPlacement(
                scaleX: Double(decoder.input.width) / whole.width, scaleY: Double(decoder.input.height) / whole.height,
                offsetX: 0, offsetY: 0, region: whole, orientation: .identity)
            return try decoder.decode(views, placement: placement, options: options)
        }
    }

    private func decoder(for outputs: [TensorDescription], _ frame: Frame) throws -> any DetectionDecoder {
        let size = InputSize(
            width: manifest?.input.width ?? frame.width, height: manifest?.input.height ?? frame.height)
        let known = state.withLock { $0.decoder }
        if let known, known.outputs == outputs, known.inputSize == size { return known.decoder }
        let input = TensorDescription(name: "frame", shape: [1, 3, size.height, size.width], element: .float32)
        let network = NetworkDescription(inputs: [input], outputs: outputs)
        let decoder = try DetectionFamily.decoder(
            for: network, manifest: manifest, labels: labels, file: file ?? "the element before swiftodt")
        state.withLock { $0.decoder = (outputs, size, decoder) }
        return decoder
    }
}
