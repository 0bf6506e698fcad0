/// Metadata that a model file does not contain. It is in a small JSON file in the same folder, for example `yolox.json`
/// for `yolox.onnx`.
///
/// All members except `name` are optional. Missing values are derived from the network, or are the defaults of the
/// network's family. A family is a group of networks with the same output format, for example YOLOX.
///
///     if let manifest = try ModelManifest.load(besideModel: "yolov8n.onnx") { print(manifest.name) }
package struct ModelManifest: Hashable, Sendable {
    package enum Task: String, CaseIterable, Sendable {
        case detection, saliency, classification, reidentification
    }

    package enum LabelSource: Hashable, Sendable {
        case list([String])
        /// A label file. The path is absolute or relative to the working directory.
        case file(String)
        /// A built-in vocabulary such as `coco80`.
        case vocabulary(String)
    }

    package var name: String
    package var task: Task?
    /// A raw value of ``DetectionFamily``. If it is `nil`, the family is recognised from the outputs of the network.
    package var family: String?
    package var labels: LabelSource?
    package var licence: String?
    /// The origin of the model, for example a URL.
    package var source: String?
    /// The names, sizes and checksums of the model's files at the time of installation.
    package var files: [File] = []
    /// Excludes the background class.
    package var classes: Int?
    /// Whether class index 0 of the network is the background.
    package var hasBackground: Bool?
    /// If it is `nil`, the general default applies.
    package var scoreThreshold: Double?
    /// Labels in lower case, by group name without `@`.
    package var labelGroups: [String: Set<String>] = [:]
    /// Whether the decoder must apply the logistic function to the class outputs.
    package var scoresAreLogits: Bool?
    /// The quantisation of inputs and outputs, by tensor name.
    package var quantisation: [String: QuantisationScale] = [:]
    package var input = Input()
    package var anchors: AnchorSettings?
    /// For each output level of a network with grids of cells: the side of a cell in input pixels.
    package var strides: [Int]?
    /// The expected detections in the ``ReferencePicture``, for one or more input sizes.
    package var knownAnswers: [KnownAnswer] = []

    /// For the verification of a model file.
    package struct File: Hashable, Sendable {
        /// Relative to the manifest's folder.
        package var name: String
        package var bytes: Int
        /// In hexadecimal.
        package var sha256: String
    }

    /// The input format of the network. A value that is `nil` is read from the model file, or is the default of the
    /// network's family.
    package struct Input: Hashable, Sendable {
        package var width: Int?
        package var height: Int?
        package var channelOrder: NetworkInput.ChannelOrder?
        /// The mean and the scale of each channel, in the order of `channelOrder`. An input value is `(level - mean) *
        /// scale` for a level from 0 to 255.
        package var mean: SIMD3<Float>?
        package var scale: SIMD3<Float>?
        package var fit: NetworkInput.Fit?

        package init() {}
    }

    /// The parameters of the anchors (prior boxes) of a network that returns box offsets relative to anchors.
    package struct AnchorSettings: Hashable, Sendable {
        /// The levels of the feature pyramid. The cells of level n have a side of 2^n input pixels.
        package var levels: ClosedRange<Int>?
        package var scalesPerLevel: Int?
        package var aspectRatios: [Double]?
        /// The side of a level's smallest square anchor, in cells of this level (EfficientDet, SSD with FPN).
        package var scale: Double?
        /// The scales of the smallest and the largest anchors, as fractions of the input's shorter side (SSD).
        package var minScale: Double?
        package var maxScale: Double?
        /// The factors by which the network's box offsets are divided: y, x, height, width.
        package var boxCoderScales: [Double]?

        package init() {}
    }

    package init(name: String) { self.name = name }

    /// The path of the model with the extension `.json`.
    package static func path(besideModel model: String) -> String {
        let folderEnd = model.lastIndex(of: "/") ?? model.startIndex
        let stem = model[folderEnd...].lastIndex(of: ".").map { model[..<$0] } ?? model[...]
        return stem + ".json"
    }

    /// Reads the manifest in the folder of a model. Returns `nil` if there is none.
    ///
    /// - Throws: ``ODTError`` if the file exists but is not a valid manifest.
    package static func load(besideModel model: String) throws -> ModelManifest? {
        let path = path(besideModel: model)
        guard path != model, FileBytes.size(path) != nil else { return nil }
        return try load(path)
    }

    package static func load(_ path: String) throws -> ModelManifest {
        try ModelManifest(parsing: FileBytes.read(path, limit: 4 << 20), file: path)
    }
}
