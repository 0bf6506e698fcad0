import Foundation
import SwiftODT

/// Detects objects in images, and tracks them if the images form a stream.
///
/// The detector is thread-safe. In stream mode it processes one image at a time and queues at most one. If another
/// image arrives, the queued image is dropped with an error of the reason `dropped`. In single-image mode, all images
/// are processed in order. The queue has no limit, and each queued image keeps its pixels. The detector loads its
/// networks at the first image. If a network has to be compiled, this can take seconds.
///
///     let objectDetector = VisionObjectDetector()
///     for object in try objectDetector.results(in: image) { print(object.name ?? "object", object.frame) }
public final class VisionObjectDetector: Sendable {
    /// Receives the objects or an error.
    public typealias Completion = @Sendable (_ objects: [VisionObject]?, _ error: (any Error)?) -> Void

    private let queue: VisionQueue

    /// Creates a detector with a copy of the options. Later changes to `options` have no effect on the detector.
    public convenience init(options: VisionObjectDetectorOptions = VisionObjectDetectorOptions()) {
        let configuration = VisionConfiguration(options)
        self.init(options) { try configuration.make() }
    }

    /// Creates a detector from existing components.
    /// - Parameters:
    ///   - classifier: classifies objects if the options request it.
    ///   - salient: finds the most prominent object of single images if the options request it and `detector` finds
    ///     nothing.
    convenience init(
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
    ///
    /// - Throws: `ODTError` if the detector cannot be created, or if it cannot process the image.
    public func results(in image: VisionImage) throws(ODTError) -> [VisionObject] {
        try ODTError.wrapping { try queue.wait(for: image) }
    }

    /// Processes an image asynchronously.
    ///
    /// - Throws: `ODTError` if the detector cannot be created, or if it cannot process the image. `CancellationError`
    ///   immediately if the task is cancelled. An image that is still queued is then not processed.
    public func process(_ image: VisionImage) async throws -> [VisionObject] {
        try await Promise<[VisionObject]>.value { promise in
            self.queue.join(image, isAbandoned: { promise.isDone }) { promise.fulfil($0) }
        }
    }
}

/// Provides the text for `localizedDescription`. Without it, Foundation would use the type's name and a number.
extension ODTError: LocalizedError {
    /// The description, which names the remedy.
    public var errorDescription: String? { description }
}
