/// What a model's file does not say of itself: a small JSON text beside it (`yolox.onnx` has `yolox.json`).
///
/// Every entry but the name may be left out; what is left out is seen from the network or is as its family usually has it.
///
///     if let manifest = try ModelManifest.load(besideModel: "yolov8n.onnx") { print(manifest.name) }
public struct ModelManifest: Hashable, Sendable {
    /// What a model is for.
    public enum Task: String, CaseIterable, Sendable {
        case detection, saliency, classification
    }

    /// Where the names of the classes are.
    public enum LabelSource: Hashable, Sendable {
        /// In the manifest itself.
        case list([String])
        /// In a file, its path made absolute against the manifest's folder.
        case file(String)
        /// In a vocabulary that is built in, such as `coco80`.
        case vocabulary(String)
    }

    public var name: String
    public var task: Task?
    /// The family by name, where it is to be taken on trust; see ``DetectionFamily``.
    public var family: String?
    public var labels: LabelSource?
    public var licence: String?
    /// Where the model comes from.
    public var source: String?
    /// The files of the model as they were put there.
    public var files: [File]
    /// How many classes the network tells apart, without a background class.
    public var classes: Int?
    /// Whether the first class of the network's own count means "nothing here".
    public var hasBackground: Bool?
    /// The score from which its author would show a detection.
    public var scoreThreshold: Double?
    /// Whether the class outputs still need the logistic function.
    public var scoresAreLogits: Bool?
    /// What the bytes of quantised inputs and outputs stand for, by their names.
    public var quantisation: [String: QuantisationScale] = [:]
    public var input: Input
    public var anchors: AnchorSettings?
    /// Input pixels a cell of each output level covers, for families with a grid.
    public var strides: [Int]?
    /// What the network finds in the test picture, for one or more sizes of its input.
    package var knownAnswers: [KnownAnswer] = []

    /// A file of a model, to be known again by.
    public struct File: Hashable, Sendable {
        /// Its name within the manifest's folder.
        public var name: String
        public var bytes: Int
        /// In hexadecimal.
        public var sha256: String
    }

    /// How a picture enters the network, as far as it departs from the family's way.
    public struct Input: Hashable, Sendable {
        public var width: Int?
        public var height: Int?
        public var channelOrder: NetworkInput.ChannelOrder?
        /// In the order of the channels; a single number in the file stands for three.
        public var mean: SIMD3<Float>?
        public var scale: SIMD3<Float>?
        public var fit: NetworkInput.Fit?

        public init() {}
    }

    /// The boxes that a network with raw heads describes its detections against.
    public struct AnchorSettings: Hashable, Sendable {
        /// Levels of the feature pyramid: level 3 has a cell every 8 pixels.
        public var levels: ClosedRange<Int>?
        public var scalesPerLevel: Int?
        public var aspectRatios: [Double]?
        /// Size of an anchor in cells (EfficientDet) .
        public var scale: Double?
        /// Smallest and largest anchor as a fraction of the picture (SSD).
        public var minScale: Double?
        public var maxScale: Double?
        /// How the box differences were scaled for training: y, x, height, width.
        public var boxCoderScales: [Double]?

        public init() {}
    }

    public init(name: String) {
        self.name = name
        files = []
        input = Input()
    }
}

extension ModelManifest {
    /// Where the manifest of a model is looked for: the model's path with `.json` for its last extension.
    public static func path(besideModel model: String) -> String {
        let folderEnd = model.lastIndex(of: "/") ?? model.startIndex
        let stem = model[folderEnd...].lastIndex(of: ".").map { model[..<$0] } ?? model[...]
        return stem + ".json"
    }

    /// Reads the manifest beside a model; `nil` where there is none.
    ///
    /// - Throws: ``ODTError`` where the file is there but cannot be understood.
    public static func load(besideModel model: String) throws -> ModelManifest? {
        let path = path(besideModel: model)
        guard path != model, FileBytes.size(path) != nil else { return nil }
        return try load(path)
    }

    /// Reads a manifest.
    public static func load(_ path: String) throws -> ModelManifest {
        try ModelManifest(parsing: FileBytes.read(path, limit: 4 << 20), file: path)
    }
}
