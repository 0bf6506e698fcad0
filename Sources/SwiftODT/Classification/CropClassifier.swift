/// Classifies crops with a neural network. Any image classifier with labels is suitable, for example ML Kit's custom
/// classifiers.
///
/// The crop is converted on the caller's thread. The inference runs on a thread of the runtime.
package final class CropClassifier: Classifier {
    /// The classifier processes one crop at a time, because crops are rare and the detector needs the CPU cores.
    package let capacity = 1
    package let threshold: Double
    /// Whether at least one label of the network has a category.
    package var hasCategories: Bool { reading.hasCategories }

    private let reading: ClassifierOutputDecoder
    /// `nil` while a classification is in flight.
    private let idle: Monitor<InferenceRequest?>

    /// The default threshold. A label with a score above 0.5 outweighs all other labels together.
    private static let usualThreshold = 0.5
    /// The margin around the object on each side, as a fraction of its width or height. The boxes of detectors are
    /// tight, but classifiers are trained on photographs with surroundings.
    private static let margin = 0.1

    /// Loads and compiles the network.
    ///
    /// - Parameters:
    ///   - modelFile: a path or the name of an installed model. `nil` for the default model.
    ///   - labelFile: needed if the labels are neither in the model nor beside it.
    package init(
        modelFile: String? = nil, labelFile: String? = nil, device: String = "CPU", threads: Int = 0,
        table: CategoryTable = .standard
    ) throws {
        let file = try modelFile.map(ModelSearchPath.locate(named:)) ?? ModelSearchPath.locate(.classifier)
        let manifest = try ModelManifest.load(model: file)
        let labels = try Labels.load(file: labelFile, manifest: manifest, model: file)
        var inspection = try NetworkInspection(
            Network.inspect(file: file), manifest: manifest, labels: labels, file: file)
        try inspection.readFile()
        let reading = try ClassifierOutputDecoder(inspection, table: table)
        self.reading = reading
        threshold = manifest?.scoreThreshold ?? Self.usualThreshold
        let input = try inspection.classifierInput()
        let answer = manifest?.knownAnswers.first(for: input)
        let check: Network.WarmUpCheck = { outputs, _ in
            let found = try reading.read(outputs, needsFiniteScore: true)
            if let problem = answer?.problem(of: found, comparesLabels: labelFile == nil) {
                throw KnownAnswer.error(problem, file: file, device: device)
            }
        }
        let network = try Network.load(
            file: file, input: input, device: device, threads: threads, hint: .latency, check: check)
        idle = Monitor(try network.makeRequest())
        Diagnostics.report(
            .info,
            "\(file) classifies on \(device): \(labels?.all.count ?? 0) labels, threshold \(threshold), input "
                + "\(network.input.summary)")
    }

    /// Waits for the classification in flight.
    deinit {
        _ = idle.wait { $0 }
    }

    package func start(_ frame: Frame, box: Box) throws -> ClassificationPromise {
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
        let region = box.grown(by: margin).clipped(width: frame.width, height: frame.height)
        guard region.isFinite, !region.isEmpty else {
            throw ODTError(.invalidOption, "the box \(box) is outside the picture and cannot be classified")
        }
        return region
    }
}

extension NetworkInspection {
    /// Returns the input format of a classifier. By default, networks of Ultralytics get values from 0 to 1, other
    /// networks with PyTorch's planar layout get the normalisation of ImageNet, and the rest get values from -1 to 1.
    func classifierInput() throws -> NetworkInput {
        let isPlanar =
            network.inputs.first.map {
                $0.shape.count == 4 && ($0.shape[1] ?? 3) == 3 && $0.shape[3] != 3
            } ?? false
        var usual = NetworkInput(
            width: 224, height: 224,
            mean: isPlanar ? ImageNetStatistics.mean : SIMD3(repeating: 127.5),
            scale: isPlanar ? ImageNetStatistics.scale : SIMD3(repeating: 1 / 127.5))
        if exportMetadata["task"]?.lowercased() == "classify" {
            (usual.mean, usual.scale) = (.zero, SIMD3(repeating: 1 / 255))
        }
        return try input(usual)
    }
}

extension KnownAnswer {
    func problem(of found: Classification, comparesLabels: Bool) -> String? {
        guard let object = objects.first else { return nil }
        let (label, score) = (found.label?.text ?? "nothing", found.labelScore)
        let isRight = !comparesLabels || label == object.label
        guard isRight, abs(score - object.score) <= Self.largestScoreDifference else {
            return "the answer is \(label) (\(Self.text(score))) instead of \(object.text)"
        }
        return nil
    }
}

/// A classifier for the content of a box of a frame.
///
/// Like a ``Detector``, a classifier copies the required data from the frame before ``start(_:box:)`` returns.
package protocol Classifier: AnyObject, Sendable {
    /// The maximum number of classifications in flight. At this limit, ``start(_:box:)`` blocks until one of the
    /// classifications finishes.
    var capacity: Int { get }

    /// The minimum score of a reliable result, from the model's metadata or a default.
    var threshold: Double { get }

    /// Starts the classification of a box in buffer pixels. Calls must not overlap.
    func start(_ frame: Frame, box: Box) throws -> ClassificationPromise
}

package struct Classification: Hashable, Sendable {
    /// The score of each coarse category. The sum of the scores is at most 1.
    package var scores: CategoryScores
    /// The label of the class with the highest score. `nil` if the model defines no label for this class.
    package var label: Label?
    /// The score of ``label``, 0 to 1.
    package var labelScore = 0.0
}

package typealias ClassificationPromise = Promise<Classification>
