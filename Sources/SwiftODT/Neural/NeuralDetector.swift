/// Finds objects with a neural network: the picture is put into the network's input on the caller's thread, inference and decoding
/// happen on the runtime's.
///
/// All detectors of a process with the same file, device, threads and hint share one compiled network, so that together they take no
/// more threads than one.
///
///     let detector = try NeuralDetector(modelFile: file, hint: .latency) { network in
///         try DetectionFamily.decoder(for: network, manifest: nil, labels: Labels.vocabulary("coco80"), file: file)
///     }
public final class NeuralDetector: Detector {
    public let network: Network
    public let capacity: Int

    private let decoder: any DetectionDecoder
    private let work: Monitor<Work>

    private struct Work {
        var free: [InferenceRequest]
        var running: [(request: InferenceRequest, promise: DetectionPromise)] = []
        /// Whose parts are looked at one after the other.
        var grids: [DetectionPromise] = []
        var timings = StageTimings()

        mutating func putBack(_ request: InferenceRequest) {
            running.removeAll { $0.request === request }
            free.append(request)
        }
    }

    /// - Parameters:
    ///   - threads: at most so many work on inference; 0 leaves it to the runtime.
    ///   - maximumInFlight: how many frames may be under way at once; 0 is as many as the runtime asks for.
    ///   - decoder: chooses who reads the outputs, and with that how the picture enters, by what the network looks like.
    public convenience init(
        modelFile: String, device: String = "CPU", threads: Int = 0, hint: InferenceHint, maximumInFlight: Int = 0,
        decoder: (NetworkDescription) throws -> any DetectionDecoder
    ) throws {
        try self.init(
            modelFile: modelFile, device: device, threads: threads, hint: hint, maximumInFlight: maximumInFlight,
            knownAnswers: [], comparesLabels: true, decoder: decoder)
    }

    /// - Parameters:
    ///   - knownAnswers: one of them has to be the network's answer when it is loaded, where one is for its input's size.
    ///   - comparesLabels: whether its classes have the names that the known answers use.
    package init(
        modelFile: String, device: String, threads: Int, hint: InferenceHint, maximumInFlight: Int,
        knownAnswers: [KnownAnswer], comparesLabels: Bool,
        decoder: (NetworkDescription) throws -> any DetectionDecoder
    ) throws {
        guard maximumInFlight >= 0 else {
            throw ODTError(.invalidOption, "\(maximumInFlight) inferences cannot be under way")
        }
        let decoder = try decoder(Network.inspect(file: modelFile))
        let check: Network.WarmUpCheck? = knownAnswers.first(for: decoder.input).map { answer in
            { outputs, placement in
                let found = try decoder.decode(outputs, placement: placement, options: DetectionOptions())
                if let problem = answer.problem(of: found, comparesLabels: comparesLabels) {
                    throw KnownAnswer.error(problem, file: modelFile, device: device)
                }
            }
        }
        let network = try Network.load(
            file: modelFile, input: decoder.input, device: device, threads: threads, hint: hint, check: check)
        // One more than can run at once: it is filled while the others run, so that none of them waits for that.
        let spare = network.requestCount > 1 ? 1 : 0
        let capacity = maximumInFlight > 0 ? maximumInFlight : network.requestCount + spare
        self.decoder = decoder
        self.network = network
        self.capacity = capacity
        work = Monitor(Work(free: try (0..<capacity).map { _ in try network.makeRequest() }))
        Diagnostics.report(
            .info,
            "\(modelFile) runs on \(device) for \(hint) with "
                + (threads == 0 ? "threads as the runtime sees fit" : "\(threads) threads")
                + ", \(capacity) detections at once, on pictures of \(network.input.summary)")
    }

    /// Waits for what is under way, which is cancelled: once a detector is gone, nothing of it runs any more.
    deinit {
        reset()
        work.wait { $0.running.isEmpty ? () : nil }
    }

    public var labels: [String]? { decoder.labels }

    public var inputSize: InputSize? {
        decoder.supportsTiles ? InputSize(width: decoder.input.width, height: decoder.input.height) : nil
    }

    public func start(_ frame: Frame, options: DetectionOptions) throws -> DetectionPromise {
        let promise = DetectionPromise()
        guard let inputSize else {
            try inferRegion(at: frame, region: nil, options: options, for: promise) { promise.fulfil($0) }
            return promise
        }
        switch options.view {
        case .fullFrame: try inferRegion(at: frame, region: nil, options: options, for: promise) { promise.fulfil($0) }
        case .region(let region): try inferRegion(at: frame, region: region, options: options, for: promise) { promise.fulfil($0) }
        case .grid: try inferTiles(of: frame, in: inputSize, options: options, for: promise)
        }
        return promise
    }

    /// Looks at the whole and at all parts, as many at once as the runtime likes.
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
        let collector = TileResultCollector(merge) { promise.fulfil($0) }
        var options = options
        options.isAwaited = options.isAwaited && network.requestCount == 1
        // A cancellation finds it also while none of its parts is being looked at.
        work.update { $0.grids.append(promise) }
        defer { work.update { work in work.grids.removeAll { $0 === promise } } }
        do {
            for (number, view) in views.enumerated() where !promise.isDone {
                try inferRegion(at: frame, region: view, options: options, for: promise) { collector.take($0, of: number) }
            }
        } catch {
            promise.cancel()
            throw error
        }
    }

    /// One look, at the whole or at a part: waits for a free request, fills it, and lets it run.
    private func inferRegion(
        at frame: Frame, region: Box?, options: DetectionOptions, for promise: DetectionPromise,
        completion: @escaping @Sendable (Result<[Detection], any Error>) -> Void
    ) throws {
        // Under way from the first, so that a cancellation finds it at any moment.
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
        // Cancelled before the request was told of this picture.
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

    public func reset() { cancel() }

    public func cancel() {
        work.update { work in
            for promise in work.grids { promise.cancel() }
            for (request, promise) in work.running {
                promise.cancel()
                request.cancel()
            }
        }
    }

    /// How long preprocessing, inference and decoding took so far.
    public var timings: StageTimings? { work.read { $0.timings } }
}
