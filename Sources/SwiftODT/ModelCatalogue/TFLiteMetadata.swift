/// The metadata in a .tflite model, for example in the custom classifiers of ML Kit: the input normalisation, the score
/// threshold that the author recommends, and the anchors of a detector.
struct TFLiteMetadata: Equatable {
    /// The mean and the standard deviation of each channel, for float inputs. An input value is `(level - mean) /
    /// deviation` for a level from 0 to 255.
    var mean: SIMD3<Float>?
    var deviation: SIMD3<Float>?
    /// From 0 to 1.
    var scoreThreshold: Double?
    /// The centre y, centre x, height and width of each anchor, as fractions of the input. Empty if the metadata has none.
    var anchors: [Float] = []

    /// Returns `nil` if the model has no readable metadata.
    init?(model: FlatBuffer) {
        // Field 4 has the buffers of the model, field 6 its metadata.
        guard let root = model.root, let entry = root.tables(6).first(where: { $0.text(0) == "TFLITE_METADATA" })
        else { return nil }
        let buffers = root.tables(4)
        guard let number = entry.integer(1, as: UInt32.self), buffers.indices.contains(Int(number)),
            let contents = buffers[Int(number)].contents(0)
        else { return nil }
        self.init(notes: Array(contents))
    }

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
            // The threshold is a 32-bit float. The conversion through the shortest decimal text gives 0.35 instead of
            // 0.3499999940395355.
            scoreThreshold = Double(threshold.description)
            break
        }
        // The `ObjectDetectorOptions` of MediaPipe. Its anchors have the fields x, y, width and height.
        if let options = graph.tables(9).first(where: { $0.text(0) == "DETECTOR_METADATA" })?.contents(1),
            let fixed = FlatBuffer(Array(options), identifier: "V001")?.root?.table(1)?.table(0)
        {
            anchors = fixed.tables(0).flatMap { anchor in [1, 0, 3, 2].map { anchor.float($0) ?? 0 } }
        }
    }

    private enum Unit: UInt8 {
        case normalisation = 1
        case scoreThreshold = 3
    }

    /// Returns the options of the tensor's `ProcessUnit` of the given kind.
    private static func unit(_ kind: Unit, of tensor: FlatBuffer.Table) -> FlatBuffer.Table? {
        tensor.tables(4).first { $0.integer(0, as: UInt8.self) == kind.rawValue }?.table(1)
    }

    /// A single number applies to all three channels.
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
    /// Returns the manifest of a model, completed from the metadata in a .tflite file. The metadata supplies the
    /// normalisation and the score threshold if the manifest does not. Returns `nil` if there is neither a manifest nor
    /// metadata.
    ///
    /// - Throws: ``ODTError`` if the manifest or the model file cannot be read, or if the manifest is not valid.
    package static func load(model: String) throws -> ModelManifest? {
        let manifest = try load(besideModel: model)
        guard let metadata = try FlatBuffer.read(tflite: model).flatMap({ TFLiteMetadata(model: $0) }) else {
            return manifest
        }
        var completed = manifest ?? ModelManifest(name: model.split(separator: "/").last.map(String.init) ?? model)
        // If the manifest has only the mean or only the scale, the metadata is not used. The missing value is then the
        // default of the network's family.
        if completed.input.mean == nil, completed.input.scale == nil, let deviation = metadata.deviation {
            completed.input.mean = metadata.mean ?? .zero
            completed.input.scale = 1 / deviation
        }
        completed.scoreThreshold = completed.scoreThreshold ?? metadata.scoreThreshold
        return completed
    }
}

extension [String: QuantisationScale] {
    /// Reads the quantisation of each tensor of a .tflite file, by tensor name. OpenVINO does not report the
    /// quantisation.
    init?(tflite model: FlatBuffer) {
        guard let graph = model.root?.tables(2).first else { return nil }
        self.init()
        for tensor in graph.tables(0) {
            // Tensors with one scale per channel are skipped. Only weights have such scales.
            guard let quantisation = tensor.table(4), let name = tensor.text(3), self[name] == nil,
                quantisation.floats(2).count == 1, let step = quantisation.floats(2).first
            else { continue }
            let zero = quantisation.integers(3, as: Int64.self).first ?? 0
            self[name] = QuantisationScale(step: step, zero: Float(zero))
        }
    }
}

extension FlatBuffer {
    /// Whether a .tflite file ends with the logistic function (`true`) or with the softmax (`false`). `nil` if it ends
    /// with another operation. Operations that only convert the result are ignored.
    var endsWithLogistic: Bool? {
        guard let root, let operations = root.tables(2).first?.tables(3) else { return nil }
        let codes = root.operationCodes
        for operation in operations.reversed() {
            let index = Int(operation.integer(0, as: UInt32.self) ?? 0)
            guard codes.indices.contains(index) else { return nil }
            switch codes[index] {
            case TFLiteOperation.dequantize, TFLiteOperation.quantize, TFLiteOperation.reshape: continue
            case TFLiteOperation.logistic: return true
            case TFLiteOperation.softmax: return false
            default: return nil
            }
        }
        return nil
    }
}

extension FlatBuffer.Table {
    /// The codes of a model's operation types. Codes below 127 are in an older field of the schema.
    var operationCodes: [Int] {
        tables(1).map { max(Int($0.integer(0, as: Int8.self) ?? 0), Int($0.integer(3, as: Int32.self) ?? 0)) }
    }
}

/// Codes of the operations in the TFLite schema.
enum TFLiteOperation {
    static let (convolution, fullyConnected) = (3, 9)
    static let (dequantize, logistic, reshape, softmax, quantize) = (6, 14, 22, 25, 114)
}
