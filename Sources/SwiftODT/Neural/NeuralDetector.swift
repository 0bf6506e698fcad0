/// Detects objects with a neural network.
///
/// The thread that calls ``start(_:options:)`` fills the input of the network. Inference and decoding run on threads of
/// the runtime. If ``DetectionOptions/isAwaited`` is `true`, they run on the calling thread instead.
///
/// Detectors with the same model file, input format, device, thread count and hint share one compiled network and its
/// threads.
///
///     let detector = try NeuralDetector(modelFile: file, hint: .latency) { network in
///         try DetectionFamily.decoder(for: network, manifest: nil, labels: Labels.vocabulary("coco80"), file: file)
///     }
package final class NeuralDetector: Detector {
    package let network: Network
    package let capacity: Int
    package let traits: DetectorTraits

    private let decoder: any DetectionDecoder
    private let work: Monitor<Work>

    private struct Work {
        var free: [InferenceRequest]
        var running: [(request: InferenceRequest, promise: DetectionPromise)] = []
        /// The promises of frames for which the inferences of tiles are currently being started.
        var grids: [DetectionPromise] = []
        var timings = StageTimings()

        mutating func putBack(_ request: InferenceRequest) {
            running.removeAll { $0.request === request }
            free.append(request)
        }
    }

    /// - Parameters:
    ///   - threads: the maximum number of inference threads. 0 uses the default of the runtime.
    ///   - maximumInFlight: the maximum number of inferences in flight. 0 uses the number that the runtime recommends,
    ///     plus one if the recommended number is greater than 1.
    ///   - knownAnswers: if an answer has the input size of this network, loading fails unless the network returns the
    ///     expected detections. The expression is evaluated after the model file has been inspected.
    ///   - comparesLabels: whether the labels must match the expected labels, too.
    ///   - decoder: returns the decoder for a network with the given description. The decoder also defines the input of
    ///     the network.
    package init(
        modelFile: String, device: String = "CPU", threads: Int = 0, hint: InferenceHint, maximumInFlight: Int = 0,
        knownAnswers: @autoclosure () throws -> [KnownAnswer] = [], comparesLabels: Bool = true,
        traits: DetectorTraits = DetectorTraits(),
        decoder: (NetworkDescription) throws -> any DetectionDecoder
    ) throws {
        guard maximumInFlight >= 0 else {
            throw ODTError(
                .invalidOption,
                "cannot keep \(maximumInFlight) inferences in flight; use 0 for the default, or a positive number")
        }
        let decoder = try decoder(Network.inspect(file: modelFile))
        let check: Network.WarmUpCheck? = try knownAnswers().first(for: decoder.input).map { answer in
            { outputs, placement in
                let found = try decoder.decode(outputs, placement: placement, options: DetectionOptions())
                if let problem = answer.problem(of: found, comparesLabels: comparesLabels) {
                    throw KnownAnswer.error(problem, file: modelFile, device: device)
                }
            }
        }
        let network = try Network.load(
            file: modelFile, input: decoder.input, device: device, threads: threads, hint: hint, check: check)
        // The spare request is filled while the other requests run, so the runtime does not wait for preprocessing.
        let spare = network.requestCount > 1 ? 1 : 0
        let capacity = maximumInFlight > 0 ? maximumInFlight : network.requestCount + spare
        self.decoder = decoder
        self.traits = traits
        self.network = network
        self.capacity = capacity
        work = Monitor(Work(free: try (0..<capacity).map { _ in try network.makeRequest() }))
        Diagnostics.report(
            .info,
            "loaded \(modelFile) on \(device), hint \(hint), "
                + (threads == 0 ? "default number of threads" : "\(threads) threads")
                + ", \(capacity) requests, input \(network.input.summary)")
    }

    /// Cancels the inferences in flight and waits until their completion handlers have returned.
    deinit {
        reset()
        work.wait { $0.running.isEmpty ? () : nil }
    }

    package var labels: [String]? { decoder.labels }

    package var inputSize: InputSize? {
        decoder.supportsTiles ? InputSize(width: decoder.input.width, height: decoder.input.height) : nil
    }

    package func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let promise = DetectionPromise()
        if let inputSize, options.view == .grid {
            try inferTiles(of: frame, in: inputSize, options: options, for: promise)
            return promise
        }
        var region: Box?
        if inputSize != nil, case .region(let box) = options.view { region = box }
        try inferRegion(at: frame, region: region, options: options, for: promise) { promise.fulfil($0) }
        return promise
    }

    /// Starts one inference of the full frame and one inference of each tile. When all have ended, the promise is
    /// fulfilled with the merged detections.
    private func inferTiles(
        of frame: Frame, in size: InputSize, options: DetectionOptions, for promise: DetectionPromise
    ) throws {
        let grid = TileGrid(
            width: frame.width, height: frame.height, pixelAspectRatio: frame.pixelAspectRatio,
            turned: frame.orientation.swapsAxes, input: size)
        let views = [nil] + grid.tiles.map { Optional($0) }
        let merge = TileMerger(
            tiles: views.map {
                InferredRegion($0, width: frame.width, height: frame.height, pixelAspectRatio: frame.pixelAspectRatio)
            },
            iouThreshold: options.iouThreshold)
        let answers = Monitor([[Detection]?](repeating: nil, count: views.count))
        var options = options
        options.isAwaited = options.isAwaited && network.requestCount == 1
        // `cancel()` must find the promise even before the first inference of a tile is in flight.
        work.update { $0.grids.append(promise) }
        defer { work.update { work in work.grids.removeAll { $0 === promise } } }
        do {
            for (number, view) in views.enumerated() where !promise.isDone {
                try inferRegion(at: frame, region: view, options: options, for: promise) { answer in
                    guard case .success(let detections) = answer else { return promise.fulfil(answer) }
                    let known = answers.update { answers in
                        answers[number] = detections
                        return answers.compactMap(\.self)
                    }
                    if known.count == merge.tiles.count { promise.fulfil(.success(merge(known))) }
                }
            }
        } catch {
            promise.cancel()
            throw error
        }
    }

    /// Waits for a free inference request, fills it with the region and runs it. A `region` of `nil` is the full frame.
    private func inferRegion(
        at frame: Frame, region: Box?, options: DetectionOptions, for promise: DetectionPromise,
        completion: @escaping @Sendable (Result<[Detection], any Error>) -> Void
    ) throws {
        // The request is added to `running` before it is filled, so `cancel()` can find it at any time.
        let request = work.wait { work -> InferenceRequest? in
            guard let request = work.free.popLast() else { return nil }
            work.running.append((request, promise))
            return request
        }
        let begin = MonotonicClock.now
        let placement: InputPlacement
        do {
            placement = try request.fill(from: frame, region: region)
        } catch {
            work.update { $0.putBack(request) }
            throw error
        }
        // If `cancel()` was called before or while the request was filled, filling may have reset the request's
        // cancellation. The promise still shows the cancellation.
        guard !promise.isDone else { return work.update { $0.putBack(request) } }
        let filled = MonotonicClock.now
        work.update { $0.timings.preprocess.add(filled - begin) }
        let finish = { @Sendable [work, decoder] (result: Result<Void, any Error>) in
            let inferred = MonotonicClock.now
            let answer = Result {
                try result.get()
                return try decoder.decode(request.outputs(), placement: placement, options: options)
            }
            let decoded = MonotonicClock.now
            work.update { work in
                work.putBack(request)
                guard (try? result.get()) != nil else { return }
                work.timings.inference.add(inferred - filled)
                work.timings.decode.add(decoded - inferred)
            }
            completion(answer)
        }
        if options.isAwaited {
            finish(Result { try request.infer() })
        } else {
            request.start(completion: finish)
        }
    }

    package func reset() { cancel() }

    package func cancel() {
        work.update { work in
            for promise in work.grids { promise.cancel() }
            for (request, promise) in work.running {
                promise.cancel()
                request.cancel()
            }
        }
    }

    package var timings: StageTimings? { work.read { $0.timings } }
}

/// Converts the output tensors of a detection network into detections. There is one decoder type for each output
/// format.
package protocol DetectionDecoder: Sendable {
    var input: NetworkInput { get }

    /// Whether inference may run on a region instead of the full frame. If `false`, inference always runs on the full
    /// frame.
    var supportsTiles: Bool { get }

    /// Empty if detections have no labels, `nil` if the labels are unknown.
    var labels: [String]? { get }

    /// Returns the detections after non-maximum suppression, in descending order of score. Throws if the shape of an
    /// output does not match the network's description.
    ///
    /// `outputs` has the order of ``NetworkDescription/outputs``. Several threads may call this method at the same
    /// time.
    func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) throws -> [Detection]
}

extension DetectionDecoder {
    package var supportsTiles: Bool { true }
    package var labels: [String]? { nil }
}
