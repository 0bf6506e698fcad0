import CODTGStreamer
import SwiftODT

/// Holds the current source of detections, and loads its replacement.
///
/// A network is never compiled on the streaming thread. Usually, the first detector is loaded when the element starts.
/// The exception is a detector whose configuration depends on whether the stream is live. If the latency query fails,
/// for example because a decoder has not negotiated yet, such a detector is loaded in the background when the first
/// frame arrives.
///
/// If a change of properties needs a new detector, it is loaded in the background. The current detector continues in
/// the meantime and is replaced between two frames. Only one detector is loaded at a time.
struct DetectionSourceLoader {
    private(set) var source: DetectionSource?

    private let make: DetectionSource.Maker
    private let element: ElementHandle
    /// The configuration that was loaded last, even if loading failed. `nil` if nothing has been loaded yet, or if
    /// loading is to be tried again.
    private var configuration: DetectorParameters?
    private var loading: (product: BackgroundTask<LoadResult<DetectionSource>>, configuration: DetectorParameters)?

    /// - Parameter isLive: whether the stream is live. `nil` if this is still undecided.
    /// - Throws: an error if a file or device that the user has specified cannot be used.
    init(
        _ settings: Settings, isLive: Bool?, element: ElementHandle, make: @escaping DetectionSource.Maker
    ) throws {
        self.make = make
        self.element = element
        let wanted = DetectorParameters(settings, isLive: isLive ?? false)
        let isDecided = isLive != nil || wanted == DetectorParameters(settings, isLive: true)
        // Loading is deferred only if the settings are valid. Invalid settings must be reported when the element
        // starts, so the detector is created now, which throws the error.
        guard isDecided || !DetectionSource.isValid(settings) else { return }
        source = try element.listening { try make(settings, wanted.hint) { element.warn($0) } }
        configuration = wanted
    }

    /// Installs a detector that has been loaded, and starts to load another one if the settings require that. Called
    /// between two frames. Does not wait.
    ///
    /// - Returns: whether the detector has changed.
    /// - Throws: an error if a file or device that the user has specified cannot be used.
    mutating func adapt(to settings: Settings, isLive: Bool) throws -> Bool {
        var hasChanged = false
        if let task = loading, let result = task.product.take() {
            loading = nil
            hasChanged = try takeOver(result, of: task.configuration, settings: settings)
        }
        let wanted = DetectorParameters(settings, isLive: isLive)
        // If the motion detector replaces an unavailable network, the reason was reported when the network could not be
        // loaded.
        let isFallback = settings.detector == .auto && source?.isSubstitute == true
        if loading == nil, wanted != configuration, !isFallback {
            var settings = settings
            // The motion detector must not replace a working network.
            if source != nil, settings.detector == .auto { settings.detector = .neural }
            // The task does not retain the element. The element may be destroyed before the compilation finishes.
            let task = BackgroundTask { [make, settings] in
                try LoadResult { warn in try make(settings, wanted.hint, warn) }
            }
            element.log(.info, "loading a detector in the background: \(wanted)")
            loading = (task, wanted)
        }
        return hasChanged
    }

    /// - Throws: `CancellationError` when flushing or stopping begins.
    func awaitFirst(_ signals: StreamSignals) throws {
        if source == nil, let task = loading?.product { try signals.wait(for: task) }
    }

    private mutating func takeOver(
        _ result: Result<LoadResult<DetectionSource>, any Error>, of made: DetectorParameters,
        settings: Settings
    ) throws -> Bool {
        configuration = made
        switch result {
        case .success(let product):
            let previous = source
            source = product.logged(by: element)
            Self.release(of: previous)
            element.log(.info, "switched to the loaded detector: \(made)")
            return true
        case .failure(let error):
            guard source != nil, !settings.namesDetectorParts else {
                // The next frame starts another attempt, which reports the error again if it fails.
                configuration = nil
                throw error
            }
            element.warn(ElementProblem(error, doing: "the current detector is kept"))
            return false
        }
    }

    /// Releases a detector on another thread. Its deinitialiser waits for the inferences in flight and frees the
    /// network.
    private static func release(of source: consuming DetectionSource?) {
        guard let source else { return }
        DetachedThread.run { withExtendedLifetime(source) {} }
    }
}
