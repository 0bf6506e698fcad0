/// A network that converts a crop of an object into an embedding.
package final class ReidentificationNetwork: AppearanceDescriber {
    /// The network that is used if no other is named.
    package static let standardName = "person_reidentification_retail_0248"

    package let labels: Set<String>
    private let request: Monitor<InferenceRequest>
    private let file: String

    /// The margin around the box on each side, as a fraction of its width or height.
    private static let margin = 0.05

    /// Loads and compiles the network, by default ``standardName``. By default, it runs on one thread: more threads
    /// cost processor time and hardly make a network of this size faster.
    ///
    /// - Parameter modelFile: a path or the name of an installed model.
    package init(modelFile: String? = nil, device: String = "CPU", threads: Int = 0) throws {
        file = try Self.locate(modelFile)
        guard let manifest = try ModelManifest.load(model: file), manifest.task == .reidentification,
            let source = manifest.labels
        else {
            throw ODTError(
                .unsupported,
                "\(file) is not known as a re-identification network; put a manifest beside it that has \"task\": "
                    + "\"reidentification\" and the \"labels\" of the objects that it can distinguish")
        }
        guard case .list(let names) = source else {
            throw ODTError(
                .invalidFile,
                "the \"labels\" in the manifest of \(file) are not a list; list the objects that the network can "
                    + "distinguish, for example [\"person\"]")
        }
        let groups = LabelGroups.withStandard(manifest.labelGroups)
        labels = LabelGroups.expand(Set(names.map { $0.lowercased() }), groups: groups)
        if let group = labels.filter({ $0.first == LabelGroups.mark }).min() {
            throw ODTError(
                .invalidFile,
                "the manifest of \(file) names the label group \(group), which does not exist; define it in \"groups\", or "
                    + "use one of "
                    + groups.keys.sorted().map { "\(LabelGroups.mark)\($0)" }.joined(separator: ", "))
        }
        let inspection = try NetworkInspection(Network.inspect(file: file), manifest: manifest, labels: nil, file: file)
        let output = inspection.outputs.first
        guard output?.shape.count(where: { ($0 ?? 1) != 1 }) == 1 else {
            throw ODTError(
                .unsupported,
                "the first output of \(file) has the shape \(output?.shapeText ?? "[]") and is not an "
                    + "embedding; use a network whose first output has only one dimension other than 1")
        }
        let network = try Network.load(
            file: file, input: inspection.input(NetworkInput(width: 128, height: 256, channelOrder: .bgr)),
            device: device, threads: threads == 0 ? 1 : threads, hint: .latency)
        request = Monitor(try network.makeRequest())
    }

    private static func locate(_ modelFile: String?) throws(ODTError) -> String {
        do {
            return try ModelSearchPath.locate(named: modelFile ?? standardName)
        } catch  where modelFile == nil {
            throw ODTError(error.reason, "\(error); \"odt models fetch \(standardName)\" installs it")
        }
    }

    package func describe(_ box: Box, in frame: Frame) throws -> ObjectAppearance {
        let region = box.grown(by: Self.margin).clipped(width: frame.width, height: frame.height)
        guard region.isFinite, !region.isEmpty else {
            throw ODTError(.invalidOption, "the box \(box) is outside the picture and has no appearance")
        }
        return try request.update { request in
            _ = try request.fill(from: frame, region: region)
            try request.infer()
            guard let output = try request.outputs().first else {
                throw ODTError(.failed, "the network \(file) returned no output")
            }
            return try output.withFloats { try ObjectAppearance(embedding: Array($0)) }
        }
    }
}
