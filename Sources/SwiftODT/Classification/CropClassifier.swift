/// Classifies crops with a neural network: any image classifier that has labels, such as ML Kit's custom ones.
///
/// The crop is put into the network's input on the caller's thread; the network runs on the runtime's.
public final class CropClassifier: Classifier {
    /// One crop at a time: they are rare, and the processors belong to the detector.
    public let capacity = 1
    public let threshold: Double

    private let reading: ClassifierOutputDecoder
    private let idle: Monitor<InferenceRequest?>

    /// What an answer has to reach where the model's manifest does not say: more speaks for it than for all others.
    private static let usualThreshold = 0.5
    /// How much of its surroundings a crop shows, as a share of the object's size, on each side: a detector's box is tight, a
    /// classifier has learnt from photographs.
    private static let margin = 0.1

    /// - Parameters:
    ///   - modelFile: a path or the name of an installed model; `nil` for the default.
    ///   - labelFile: where the labels are, if not in the model or beside it.
    ///   - table: says which category each label belongs to.
    /// - Throws: ``ODTError`` that names the file and what to do.
    public init(
        modelFile: String? = nil, labelFile: String? = nil, device: String = "CPU", threads: Int = 0,
        table: CategoryTable = .standard
    ) throws {
        let file = try modelFile.map(ModelSearchPath.locate(named:)) ?? ModelSearchPath.locate(.classifier)
        let manifest = try ModelManifest.load(model: file)
        let labels = try Labels.load(file: labelFile, manifest: manifest, model: file)
        let inspection = try NetworkInspection(Network.inspect(file: file), manifest: manifest, labels: labels, file: file)
        let reading = try ClassifierOutputDecoder(inspection, table: table)
        self.reading = reading
        threshold = manifest?.scoreThreshold ?? Self.usualThreshold
        let input = try inspection.classifierInput()
        let check: Network.WarmUpCheck? = manifest?.knownAnswers.first(for: input).map { answer in
            { outputs, _ in
                if let problem = try answer.problem(of: reading.read(outputs), comparesLabels: labelFile == nil) {
                    throw KnownAnswer.error(problem, file: file, device: device)
                }
            }
        }
        let network = try Network.load(
            file: file, input: input, device: device, threads: threads, hint: .latency, check: check)
        idle = Monitor(try network.makeRequest())
        Diagnostics.report(
            .info,
            "\(file) classifies on \(device), with \(labels?.all.count ?? 0) labels and the threshold \(threshold), pictures of "
                + "\(network.input.summary)")
    }

    /// Waits for what is under way.
    deinit {
        _ = idle.wait { $0 }
    }

    public func start(_ frame: Frame, box: Box) throws -> ClassificationPromise {
        let region = try Self.region(around: box, in: frame)
        let request = idle.wait { request in
            defer { request = nil }
            return request
        }
        do {
            _ = try request.fill(from: frame, region: region)
        } catch {
            idle.update { $0 = request }
            throw error
        }
        let promise = ClassificationPromise()
        request.start { [idle, reading] result in
            let answer = Result {
                try result.get()
                return try reading.read(request.outputs())
            }
            idle.update { $0 = request }
            promise.fulfil(answer)
        }
        return promise
    }

    private static func region(around box: Box, in frame: Frame) throws -> Box {
        let (across, down) = (box.width * margin, box.height * margin)
        let region = Box(
            minX: box.minX - across, minY: box.minY - down, maxX: box.maxX + across, maxY: box.maxY + down
        ).clipped(width: frame.width, height: frame.height)
        guard region.isFinite, !region.isEmpty else {
            throw ODTError(.invalidOption, "the box \(box) is outside the picture and cannot be classified")
        }
        return region
    }
}

extension NetworkInspection {
    /// How pictures enter classifiers: those that take floats want them as they were trained, and layouts tell where.
    func classifierInput() throws -> NetworkInput {
        let isPlanar = network.inputs.first.map { $0.shape.count == 4 && $0.shape[1] == 3 } ?? false
        return try input(
            FamilyInput(
                width: 224, height: 224,
                mean: isPlanar ? ImageNetStatistics.mean : SIMD3(repeating: 127.5),
                scale: isPlanar ? ImageNetStatistics.scale : SIMD3(repeating: 1 / 127.5)))
    }
}
