/// Detects the most prominent objects of a picture, regardless of their class. A saliency network rates each pixel.
/// Each connected region of salient pixels becomes a box.
package enum Salient {
    /// The maximum side of the network's input for video, in pixels. It is smaller than the usual 320. This saves
    /// computation and makes the boxes more stable over time, but the boxes fit slightly less tightly.
    private static let videoSide = 192

    /// Returns the decoder for a saliency network. Such a network converts a picture into a saliency map.
    ///
    /// The manifest can specify the size of the input. By default, independent pictures use the network's size. Video
    /// uses a smaller size, because saliency networks are fully convolutional and accept any size.
    /// - Parameters:
    ///   - file: the model's path, for error messages.
    ///   - isForStills: whether pictures are independent of each other. `false` for video.
    /// - Throws: ``ODTError`` with `.unsupported` if the network is not a saliency network.
    package static func decoder(
        for network: NetworkDescription, manifest: ModelManifest?, file: String = "the saliency model",
        isForStills: Bool = false
    ) throws -> any DetectionDecoder {
        let inspection = try NetworkInspection(network, manifest: manifest, labels: nil, file: file)
        var input = try inspection.input(
            FamilyInput(width: 320, height: 320, mean: ImageNetStatistics.mean, scale: ImageNetStatistics.scale))
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
                    + "a saliency network needs a map with one channel, such as [1,1,320,320]")
        }
        return SaliencyDecoder(
            input: input, output: output, isLogit: manifest?.scoresAreLogits ?? false, separatesThings: isForStills)
    }

    /// Returns whether an output has the proportions of the picture. A table of boxes also has two dimensions, but is
    /// far longer than wide.
    private static func hasProportions(_ map: (width: Int?, height: Int?), of picture: (width: Int, height: Int))
        -> Bool
    {
        guard let width = map.width, let height = map.height else { return true }
        let stretch = Double(width) * Double(picture.height) / (Double(height) * Double(picture.width))
        return stretch > 0.5 && stretch < 2
    }
}
