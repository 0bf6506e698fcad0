/// Finds the thing in the picture, whatever it is: a saliency network says of each pixel how much it draws the eye, and what
/// hangs together becomes a box.
public enum Salient {
    /// Makes the decoder for a saliency network: a picture in, a map out.
    ///
    /// The picture enters at the size that the manifest names, if it names one: most of these networks can be made smaller than
    /// their file says, at a quarter of the work for half the size.
    /// - Parameter file: the model's path, for messages.
    /// - Throws: ``DetectorError`` with `.unsupported` where the network is none of these.
    public static func decoder(
        for network: NetworkDescription, manifest: ModelManifest?, file: String = "the saliency model"
    ) throws -> any DetectionDecoder {
        let survey = try NetworkSurvey(network, manifest: manifest, labels: nil, file: file)
        var input = try survey.input(
            FamilyInput(width: 320, height: 320, mean: ImageNetStatistics.mean, scale: ImageNetStatistics.scale))
        if let told = manifest?.input {
            input.width = told.width ?? input.width
            input.height = told.height ?? input.height
        }
        guard let output = network.outputs.firstIndex(where: { SaliencyDecoder.mapSize($0.shape) != nil }) else {
            throw DetectorError(
                .unsupported,
                "\(file) gives \(network.outputs.map { NetworkSurvey.text($0.shape) }.joined(separator: ", ")); "
                    + "a saliency network gives a map of one channel, such as [1,1,320,320]")
        }
        return SaliencyDecoder(input: input, output: output, isLogit: manifest?.scoresAreLogits ?? false)
    }
}
