/// Finds the thing in the picture, whatever it is: a saliency network says of each pixel how much it draws the eye, and what
/// hangs together becomes a box.
public enum Salient {
    /// The side at which video is looked at, where a network would take more: two fifths of the work of 320, and boxes that
    /// are calmer from frame to frame, if a little less close.
    private static let videoSide = 192

    /// Makes the decoder for a saliency network: a picture in, a map out.
    ///
    /// The picture enters at the size that the manifest names. Where it names none, still pictures enter at the network's own
    /// size and video at a smaller one: these networks may be made smaller than their file says.
    /// - Parameters:
    ///   - file: the model's path, for messages.
    ///   - isForStills: whether pictures stand alone.
    /// - Throws: ``ODTError`` with `.unsupported` where the network is none of these.
    public static func decoder(
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
                "\(file) gives \(network.outputs.map(\.shapeText).joined(separator: ", ")); "
                    + "a saliency network gives a map of one channel, such as [1,1,320,320]")
        }
        return SaliencyDecoder(
            input: input, output: output, isLogit: manifest?.scoresAreLogits ?? false, separatesThings: isForStills)
    }

    /// Whether a map may be one of the picture: a detector's table of boxes has the same form, but is far longer than wide.
    private static func hasProportions(_ map: (width: Int?, height: Int?), of picture: (width: Int, height: Int))
        -> Bool
    {
        guard let width = map.width, let height = map.height else { return true }
        let stretch = Double(width) * Double(picture.height) / (Double(height) * Double(picture.width))
        return stretch > 0.5 && stretch < 2
    }
}
