import CGStreamer
import SwiftODT

/// Has the network made that finds the prominent thing of a picture, and asks it: before the first frame where it is wanted then,
/// else on a thread of its own while pictures in which the detector finds something go on. One in which it finds nothing
/// waits for it.
struct SalientDetectorLoader {
    private let element: ElementHandle
    private let signals: StreamSignals
    private let make: DetectionSource.Maker
    private var source: DetectionSource?
    private var loading: BackgroundTask<LoadResult<DetectionSource>>?
    /// Not tried again before the element starts anew.
    private var hasFailed = false

    init(element: ElementHandle, signals: StreamSignals, make: @escaping DetectionSource.Maker) {
        self.element = element
        self.signals = signals
        self.make = make
    }

    /// - Throws: where it was named and cannot be used.
    mutating func make(_ settings: Settings) throws {
        if settings.sceneBesideDetector.detectsSalient { try take(Result { try Self.load(settings, make) }, settings) }
    }

    /// Lets it be made where it is wanted. Never waits.
    ///
    /// - Throws: where it was named and cannot be used.
    mutating func adapt(to settings: Settings) throws {
        guard source == nil, !hasFailed else { return }
        if let result = loading?.take() {
            loading = nil
            try take(result, settings)
        } else if loading == nil, settings.sceneBesideDetector.detectsSalient {
            element.log(.info, "a saliency network is made beside the stream")
            loading = BackgroundTask { [make] in try Self.load(settings, make) }
        }
    }

    /// What is prominent in a picture, the most prominent first. Waits for the network where that is still being made.
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
                    ElementProblem(error, doing: "things without a name are not looked for in pictures"))
            }
            throw error
        }
    }
}
