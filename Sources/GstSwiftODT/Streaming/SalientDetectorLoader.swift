import CGStreamer
import SwiftODT

/// Loads and runs the network that detects the prominent object of a picture. It is loaded before the first frame if it
/// is enabled at start, otherwise in the background. Pictures in which the detector finds nothing wait for it; others
/// do not.
struct SalientDetectorLoader {
    private let element: ElementHandle
    private let signals: StreamSignals
    private let make: DetectionSource.Maker
    private var source: DetectionSource?
    private var loading: BackgroundTask<LoadResult<DetectionSource>>?
    /// Loading is not retried until the element is restarted.
    private var hasFailed = false

    init(element: ElementHandle, signals: StreamSignals, make: @escaping DetectionSource.Maker) {
        self.element = element
        self.signals = signals
        self.make = make
    }

    /// - Throws: an error if the user specified it or its device and it cannot be used.
    mutating func make(_ settings: Settings) throws {
        if settings.sceneBesideDetector.detectsSalient { try take(Result { try Self.load(settings, make) }, settings) }
    }

    /// Starts loading the network if it has been enabled. Does not wait.
    ///
    /// - Throws: an error if the user specified it or its device and it cannot be used.
    mutating func adapt(to settings: Settings) throws {
        guard source == nil, !hasFailed else { return }
        if let result = loading?.take() {
            loading = nil
            try take(result, settings)
        } else if loading == nil, settings.sceneBesideDetector.detectsSalient {
            element.log(.info, "loading a saliency network in the background")
            loading = BackgroundTask { [make] in try Self.load(settings, make) }
        }
    }

    /// Returns the prominent objects of a picture, most prominent first. Waits until the network is loaded.
    ///
    /// - Throws: `CancellationError` when flushing or stopping begins.
    mutating func detections(
        in frame: Frame, of buffer: UnsafeMutablePointer<GstBuffer>, settings: Settings
    ) throws -> [Detection] {
        if let task = loading {
            try signals.interruptible(by: task.wake) {
                if !task.wait(unless: { signals.isInterrupted }) { throw CancellationError() }
            }
            try adapt(to: settings)
        }
        guard let source else { return [] }
        var options = settings.detection
        options.isAwaited = true
        let promise = try signals.interruptible(by: source.cancel) {
            try source.start(frame, of: buffer, options: options)
        }
        return try signals.wait(for: promise)
    }

    private static func load(
        _ settings: Settings, _ make: @escaping DetectionSource.Maker
    ) throws -> LoadResult<DetectionSource> {
        try LoadResult { warn in try make(settings.forSalient, .latency, warn) }
    }

    private mutating func take(_ result: Result<LoadResult<DetectionSource>, any Error>, _ settings: Settings) throws {
        do {
            source = try result.get().logged(by: element)
        } catch {
            hasFailed = true
            guard settings.scene.unknownObjects == .salient || settings.device != Settings.standardDevice else {
                return element.warn(
                    ElementProblem(error, doing: "salient objects are not detected in still images"))
            }
            throw error
        }
    }
}
