/// Decodes the saliency map of a network into the boxes of salient objects. A saliency map rates how much each pixel
/// attracts attention.
struct SaliencyDecoder: DetectionDecoder {
    let input: NetworkInput
    var labels: [String]? { [] }
    /// `false`, because an object that is salient within a tile need not be salient in the full picture.
    var supportsTiles: Bool { false }
    /// The first output with the shape of a saliency map. Some networks also return intermediate maps.
    let output: Int
    /// Whether the map has logits instead of values from 0 to 1.
    let isLogit: Bool
    /// Whether objects that touch each other become separate detections.
    var separatesThings = false

    /// The score of an object is its mean saliency, reduced for small objects. If an object has this area, relative to
    /// the area of the map, its score is half of its mean saliency.
    private static let smallPart = 0.004
    /// The maximum number of objects per picture.
    private static let limit = 10

    func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) throws -> [Detection] {
        guard outputs.indices.contains(output), let size = Self.mapSize(outputs[output].shape),
            let width = size.width, let height = size.height, width > 0, height > 0
        else {
            throw ODTError(.failed, "the saliency network returned no map")
        }
        let (scaleX, scaleY) = (Double(input.width) / Double(width), Double(input.height) / Double(height))
        return try outputs[output].withFloats { values in
            guard values.count == width * height else {
                throw ODTError(.failed, "the saliency network returned \(values.count) values for a map of \(size)")
            }
            return withUnsafeTemporaryAllocation(of: Float.self, capacity: values.count) { copy in
                let map = SaliencyMap(
                    values: normalised(values, into: copy), width: width, height: height,
                    separatesThings: separatesThings)
                return map.regions().map { region in
                    Detection(
                        box: placement.buffer(region.box.scaled(x: scaleX, y: scaleY)),
                        score: score(region, in: values.count))
                }
            }
        }
        .filter { $0.score >= options.scoreFloor && !$0.box.isEmpty }
        .sorted { $0.score > $1.score }
        .prefix(Self.limit).map(\.self)
    }

    private func score(_ region: SaliencyMap.Region, in pixels: Int) -> Double {
        let part = Double(region.area) / Double(pixels)
        return region.mean * part / (part + Self.smallPart)
    }

    /// Scales the map to the range 0 to 1. A map whose values are already in this range stays unchanged. Scaling it
    /// would turn the noise of a picture without salient objects into detections.
    private func normalised(
        _ values: UnsafeBufferPointer<Float>, into copy: UnsafeMutableBufferPointer<Float>
    ) -> UnsafeBufferPointer<Float> {
        var (minimum, maximum) = (Float.infinity, -Float.infinity)
        for (index, value) in values.enumerated() {
            let sound = value.isFinite ? (isLogit ? logistic(value) : value) : 0
            copy.initializeElement(at: index, to: sound)
            minimum = min(minimum, sound)
            maximum = max(maximum, sound)
        }
        if minimum < 0 || maximum > 1.001 {
            // The values are halved first, because the difference of the largest and the smallest float would overflow.
            let scale = 1 / max(maximum / 2 - minimum / 2, .leastNormalMagnitude)
            for index in copy.indices { copy[index] = (copy[index] / 2 - minimum / 2) * scale }
        }
        return UnsafeBufferPointer(copy)
    }

    /// Returns the size of a map with one channel. The shape has NCHW or NHWC order, or no channel dimension. A dynamic
    /// width or height is `nil`. Returns `nil` if the shape is not that of a map.
    static func mapSize(_ shape: [Int?]) -> (width: Int?, height: Int?)? {
        let inner = shape.first == 1 || shape.first == .some(nil) ? shape.dropFirst() : shape[...]
        switch inner.count {
        case 2 where inner.allSatisfy({ $0 != 1 }): return (inner.last ?? nil, inner.first ?? nil)
        case 3 where inner.first == 1: return mapSize(Array(inner))
        case 3 where inner.last == 1: return mapSize([1] + inner.dropLast())
        default: return nil
        }
    }
}

/// Detects the most prominent objects of a picture, regardless of their class. A saliency network rates how much each
/// pixel attracts attention. Each connected region of salient pixels becomes a box.
package enum Salient {
    /// The maximum width and height of the network's input for video, in pixels. The usual input has 320 pixels. The
    /// smaller input saves computation and makes the boxes more stable over time, but the boxes fit slightly less
    /// tightly.
    private static let videoSide = 192

    /// Returns the decoder for a saliency network.
    ///
    /// If the manifest does not specify the size of the network's input, independent pictures use the size in the model
    /// file, and video uses a smaller size. Saliency networks are fully convolutional and accept any size.
    ///
    /// - Parameters:
    ///   - file: the model's path, for error messages.
    ///   - isForStills: whether pictures are independent of each other. `false` for video.
    /// - Throws: ``ODTError`` with `.unsupported` if the network is not a saliency network.
    package static func decoder(
        for network: NetworkDescription, manifest: ModelManifest?, file: String = "the saliency model",
        isForStills: Bool = false
    ) throws -> any DetectionDecoder {
        var inspection = try NetworkInspection(network, manifest: manifest, labels: nil, file: file)
        try inspection.readFile()
        if manifest?.task == .saliency, let decoder = try SSDPostprocessedDecoder(classAgnostic: inspection) {
            return inspection.dequantising(decoder)
        }
        var input = try inspection.input(
            NetworkInput(width: 320, height: 320, mean: ImageNetStatistics.mean, scale: ImageNetStatistics.scale))
        let (width, height) = (input.width, input.height)
        let side = isForStills ? Int.max : videoSide
        input.width = manifest?.input.width ?? min(input.width, side)
        input.height = manifest?.input.height ?? min(input.height, side)
        let output = network.outputs.firstIndex { output in
            SaliencyDecoder.mapSize(output.shape).map { hasProportions($0, of: (width, height)) } ?? false
        }
        guard let output else {
            throw ODTError(
                .unsupported,
                "\(file) has the outputs \(network.outputs.map(\.shapeText).joined(separator: ", ")); "
                    + "a saliency network needs a map with one channel, such as [1,1,320,320], or boxes, classes and "
                    + "scores and a manifest with \"task\": \"saliency\"")
        }
        return inspection.dequantising(
            SaliencyDecoder(
                input: input, output: output, isLogit: manifest?.scoresAreLogits ?? false,
                separatesThings: isForStills))
    }

    /// Returns whether an output has about the aspect ratio of the picture. A table of boxes does not, because it is
    /// far longer than wide.
    private static func hasProportions(_ map: (width: Int?, height: Int?), of picture: (width: Int, height: Int))
        -> Bool
    {
        guard let width = map.width, let height = map.height else { return true }
        let stretch = Double(width) * Double(picture.height) / (Double(height) * Double(picture.width))
        return stretch > 0.5 && stretch < 2
    }
}
