/// Metadata that a model file lacks, read from a small JSON file beside it (`yolox.json` for `yolox.onnx`).
///
/// All entries except the name are optional. Missing ones are derived from the network or take the default of its
/// family.
///
///     if let manifest = try ModelManifest.load(besideModel: "yolov8n.onnx") { print(manifest.name) }
package struct ModelManifest: Hashable, Sendable {
    /// The purpose of a model.
    package enum Task: String, CaseIterable, Sendable {
        case detection, saliency, classification
    }

    /// The source of the class names.
    package enum LabelSource: Hashable, Sendable {
        /// Names listed in the manifest.
        case list([String])
        /// A label file, with an absolute path or one relative to the working directory.
        case file(String)
        /// A built-in vocabulary such as `coco80`.
        case vocabulary(String)
    }

    package var name: String
    package var task: Task?
    /// The name of the network family, which overrides recognition by outputs; see ``DetectionFamily``.
    package var family: String?
    package var labels: LabelSource?
    package var licence: String?
    /// The origin of the model, for example a URL.
    package var source: String?
    /// The files of the model at installation.
    package var files: [File]
    /// The number of classes, without a background class.
    package var classes: Int?
    /// Whether class index 0 of the network is the background.
    package var hasBackground: Bool?
    /// The score threshold for this model, where it differs from the general default.
    package var scoreThreshold: Double?
    /// Lower-case labels by the name of the group, without `@`.
    package var labelGroups: [String: Set<String>] = [:]
    /// Whether the class outputs are logits, so that the logistic function must be applied.
    package var scoresAreLogits: Bool?
    /// The quantisation of inputs and outputs, by tensor name.
    package var quantisation: [String: QuantisationScale] = [:]
    package var input: Input
    package var anchors: AnchorSettings?
    /// Input pixels per cell of each output level, for grid-based families.
    package var strides: [Int]?
    /// What the network finds in the test picture, for one or more sizes of its input.
    package var knownAnswers: [KnownAnswer] = []

    /// The identity of a model file, for verification.
    package struct File: Hashable, Sendable {
        /// The file name, relative to the manifest's folder.
        package var name: String
        package var bytes: Int
        /// The SHA-256 checksum in hexadecimal.
        package var sha256: String
    }

    /// The network's input format, where it differs from the family's default.
    package struct Input: Hashable, Sendable {
        package var width: Int?
        package var height: Int?
        package var channelOrder: NetworkInput.ChannelOrder?
        /// In the order of the channels. A single number in the file applies to all three.
        package var mean: SIMD3<Float>?
        package var scale: SIMD3<Float>?
        package var fit: NetworkInput.Fit?

        package init() {}
    }

    /// The anchors (prior boxes) of a network with raw outputs.
    package struct AnchorSettings: Hashable, Sendable {
        /// The levels of the feature pyramid. Level n has one cell every 2^n pixels.
        package var levels: ClosedRange<Int>?
        package var scalesPerLevel: Int?
        package var aspectRatios: [Double]?
        /// Size of an anchor in cells (EfficientDet).
        package var scale: Double?
        /// Smallest and largest anchor as a fraction of the picture (SSD).
        package var minScale: Double?
        package var maxScale: Double?
        /// The factors that scaled box offsets in training: y, x, height, width.
        package var boxCoderScales: [Double]?

        package init() {}
    }

    package init(name: String) {
        self.name = name
        files = []
        input = Input()
    }
}

extension ModelManifest {
    /// Returns the path of a model's manifest: the model's path with the extension `.json`.
    package static func path(besideModel model: String) -> String {
        let folderEnd = model.lastIndex(of: "/") ?? model.startIndex
        let stem = model[folderEnd...].lastIndex(of: ".").map { model[..<$0] } ?? model[...]
        return stem + ".json"
    }

    /// Reads the manifest beside a model. Returns `nil` if there is none.
    ///
    /// - Throws: ``ODTError`` if the file exists but is not a valid manifest.
    package static func load(besideModel model: String) throws -> ModelManifest? {
        let path = path(besideModel: model)
        guard path != model, FileBytes.size(path) != nil else { return nil }
        return try load(path)
    }

    /// Reads and parses a manifest.
    package static func load(_ path: String) throws -> ModelManifest {
        try ModelManifest(parsing: FileBytes.read(path, limit: 4 << 20), file: path)
    }
}
