/// Finds objects in images, and follows them where the images are a stream.
///
/// May be used from any thread. In a stream it looks at one image at a time and never lets them pile up: of those that come
/// while it is busy only the latest waits, and the one that waited before it is dropped (``VisionDroppedError``).
/// Single images all get their turn. What it needs is made at the first image, which may take seconds when a
/// network has to be compiled.
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

    /// A detector on parts of one's own.
    /// - Parameters:
    ///   - classifier: sorts objects into categories where the options ask for it.
    ///   - salient: finds the prominent thing of single images where the options ask for it and `detector` finds nothing.
    public convenience init(
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

    /// The way to make one in ML Kit's current interface.
    public static func objectDetector(options: VisionObjectDetectorOptions) -> VisionObjectDetector {
        VisionObjectDetector(options: options)
    }

    /// Looks at an image and calls `completion` on a thread of its own with objects or an error, exactly once.
    public func process(_ image: VisionImage, completion: @escaping Completion) {
        queue.join(image) { result in
            switch result {
            case .success(let objects): completion(objects, nil)
            case .failure(let error): completion(nil, error)
            }
        }
    }

    /// Looks at an image and waits for the result. Follows the same rule as ``process(_:completion:)`` while busy.
    public func results(in image: VisionImage) throws -> [VisionObject] {
        try queue.wait(for: image)
    }

    /// Looks at an image.
    public func process(_ image: VisionImage) async throws -> [VisionObject] {
        try await withCheckedThrowingContinuation { continuation in
            queue.join(image) { continuation.resume(with: $0) }
        }
    }
}

/// A detector was busy, and before it came to this image a newer one of the stream had arrived.
public struct VisionDroppedError: Error, CustomStringConvertible {
    public var description: String {
        "the image was dropped: the detector was busy, and a newer image of the stream has taken its place"
    }
}
