/// Detects objects in images, and tracks them if the images form a stream.
///
/// The detector is thread-safe. In a stream it processes one image at a time and queues at most one: if another image
/// arrives while it is busy, the queued one is dropped with ``VisionDroppedError``. Single images are all processed in
/// order. The components are created at the first image, which can take seconds if a network has to be compiled.
///
///     let objectDetector = VisionObjectDetector()
///     for object in try objectDetector.results(in: image) { print(object.name ?? "object", object.frame) }
public final class VisionObjectDetector: Sendable {
    public typealias Completion = @Sendable (_ objects: [VisionObject]?, _ error: (any Error)?) -> Void

    private let queue: VisionQueue

    public convenience init(options: VisionObjectDetectorOptions = VisionObjectDetectorOptions()) {
        let configuration = VisionConfiguration(options)
        self.init(options) { try configuration.make() }
    }

    /// Creates a detector from existing components.
    /// - Parameters:
    ///   - classifier: classifies objects if the options request it.
    ///   - salient: finds the most prominent object of single images if the options request it and `detector` finds
    ///     nothing.
    package convenience init(
        options: VisionObjectDetectorOptions, detector: any Detector, classifier: TrackClassifier? = nil,
        salient: (any Detector)? = nil
    ) {
        self.init(options) { VisionComponents(detector: detector, classifier: classifier, salient: salient) }
    }

    private init(_ options: VisionObjectDetectorOptions, parts: @escaping @Sendable () throws -> VisionComponents) {
        queue = VisionQueue(
            keepsOnlyLatest: options.detectorMode == .stream,
            finder: VisionProcessor(options: options, parts: parts))
    }

    /// Creates a detector, as in ML Kit's current interface.
    public static func objectDetector(options: VisionObjectDetectorOptions) -> VisionObjectDetector {
        VisionObjectDetector(options: options)
    }

    /// Processes an image and calls `completion` exactly once, on another thread, with objects or an error.
    public func process(_ image: VisionImage, completion: @escaping Completion) {
        queue.join(image) { result in
            switch result {
            case .success(let objects): completion(objects, nil)
            case .failure(let error): completion(nil, error)
            }
        }
    }

    /// Processes an image and waits for the result. Images can be dropped as with ``process(_:completion:)``.
    public func results(in image: VisionImage) throws -> [VisionObject] {
        try queue.wait(for: image)
    }

    /// Processes an image asynchronously.
    public func process(_ image: VisionImage) async throws -> [VisionObject] {
        try await withCheckedThrowingContinuation { continuation in
            queue.join(image) { continuation.resume(with: $0) }
        }
    }
}

/// The error for an image that a newer image of the stream replaced while the detector was busy.
public struct VisionDroppedError: Error, CustomStringConvertible {
    public var description: String {
        "the image was dropped: the detector was busy, and a newer image of the stream replaced it"
    }
}
