/// What the author of a .tflite file wrote down in it about how it is to be fed and believed: TensorFlow Lite's model metadata,
/// which ML Kit's custom classifiers carry.
struct TFLiteMetadata: Equatable {
    /// Subtracted from the grey levels of each channel, and what they are divided by afterwards. Meant for inputs of floats.
    var mean: SIMD3<Float>?
    var deviation: SIMD3<Float>?
    /// The score from which on an answer is to be believed.
    var scoreThreshold: Double?

    /// - Returns: `nil` for files without metadata, or with such as cannot be read.
    init?(model: FlatBuffer) {
        guard let root = model.root,
            let entry = root.tables(ModelField.metadata).first(where: { $0.text(0) == "TFLITE_METADATA" })
        else { return nil }
        let buffers = root.tables(ModelField.buffers)
        guard let number = entry.integer(1, as: UInt32.self), buffers.indices.contains(Int(number)),
            let contents = buffers[Int(number)].contents(0)
        else { return nil }
        self.init(notes: Array(contents))
    }

    /// - Parameter notes: the buffer within the model.
    init?(notes: [UInt8]) {
        guard let root = FlatBuffer(notes, identifier: "M001")?.root, let graph = root.tables(3).first else {
            return nil
        }
        for input in graph.tables(2) {
            guard let normalisation = Self.unit(.normalisation, of: input) else { continue }
            mean = Self.channels(normalisation.floats(0))
            deviation = Self.channels(normalisation.floats(1)).flatMap { $0.min() > 0 ? $0 : nil }
            break
        }
        for output in graph.tables(3) {
            guard let threshold = Self.unit(.scoreThreshold, of: output)?.float(0), (0...1).contains(threshold)
            else { continue }
            // As it was written, not as the nearest float is: 0.35, not 0.3499999940395355.
            scoreThreshold = Double(threshold.description)
            break
        }
    }

    private enum ModelField {
        static let buffers = 4
        static let metadata = 6
    }

    private enum Unit: UInt8 {
        case normalisation = 1
        case scoreThreshold = 3
    }

    /// A step of a tensor's processing, by its kind.
    private static func unit(_ kind: Unit, of tensor: FlatBuffer.Table) -> FlatBuffer.Table? {
        tensor.tables(4).first { $0.integer(0, as: UInt8.self) == kind.rawValue }?.table(1)
    }

    /// One number for all channels, or three.
    private static func channels(_ numbers: [Float]) -> SIMD3<Float>? {
        guard numbers.allSatisfy({ $0.isFinite && abs($0) < 1e6 }) else { return nil }
        switch numbers.count {
        case 1: return SIMD3(repeating: numbers[0])
        case 3: return SIMD3(numbers)
        default: return nil
        }
    }
}

extension ModelManifest {
    /// The manifest beside a model, completed by what the model's own file says; `nil` where neither says anything.
    ///
    /// - Throws: ``ODTError`` where one of them is there but cannot be read.
    public static func load(model: String) throws -> ModelManifest? {
        let manifest = try load(besideModel: model)
        guard let metadata = try FlatBuffer.read(tflite: model).flatMap({ TFLiteMetadata(model: $0) }) else {
            return manifest
        }
        var completed = manifest ?? ModelManifest(name: model.split(separator: "/").last.map(String.init) ?? model)
        // A manifest that names one of the two means it to go with the family's usual other.
        if completed.input.mean == nil, completed.input.scale == nil, let deviation = metadata.deviation {
            completed.input.mean = metadata.mean ?? .zero
            completed.input.scale = 1 / deviation
        }
        completed.scoreThreshold = completed.scoreThreshold ?? metadata.scoreThreshold
        return completed
    }
}
