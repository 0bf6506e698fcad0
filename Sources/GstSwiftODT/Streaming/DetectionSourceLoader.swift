import CGStreamer
import SwiftODT

/// Holds the current detector and loads its replacement.
///
/// A network is never compiled on the streaming thread. The first detector is loaded when the element starts. If its
/// configuration depends on whether the stream is live, and upstream cannot answer yet (such as a decoder before
/// negotiation), it is loaded in the background once the first frame arrives. When properties change, a new detector is
/// loaded in the background while the current one continues, and replaces it between two frames. One detector is loaded
/// at a time.
struct DetectionSourceLoader {
    /// The current detector; `nil` while the first one is being loaded.
    private(set) var source: DetectionSource?

    private let make: DetectionSource.Maker
    private let element: ElementHandle
    private var configuration: DetectionSourceConfiguration?
    private var loading:
        (product: BackgroundTask<LoadResult<DetectionSource>>, configuration: DetectionSourceConfiguration)?

    /// - Parameter isLive: whether the stream is live; `nil` if unknown.
    /// - Throws: an error if the user specified a file or device that cannot be used.
    init(
        _ settings: Settings, isLive: Bool?, element: ElementHandle, make: @escaping DetectionSource.Maker
    ) throws {
        self.make = make
        self.element = element
        let wanted = DetectionSourceConfiguration(settings, isLive: isLive ?? false)
        let isDecided = isLive != nil || wanted == DetectionSourceConfiguration(settings, isLive: true)
        // If the settings are invalid, the detector is created now so that the error is reported at start.
        guard isDecided || !DetectionSource.isValid(settings) else { return }
        source = try element.listening { try make(settings, wanted.hint) { element.warn($0) } }
        configuration = wanted
    }

    /// Starts loading the detector that the settings require, and installs one that is ready. Called between two
    /// frames; does not wait.
    ///
    /// - Returns: whether the detector has changed.
    /// - Throws: an error if the user specified a file or device that cannot be used.
    mutating func adapt(to settings: Settings, isLive: Bool) throws -> Bool {
        var hasChanged = false
        if let task = loading, let result = task.product.take() {
            loading = nil
            hasChanged = try takeOver(result, of: task.configuration, settings: settings)
        }
        let wanted = DetectionSourceConfiguration(settings, isLive: isLive)
        if loading == nil, wanted != configuration, !isFallback(settings) { begin(wanted, settings) }
        return hasChanged
    }

    /// Waits until the first detector is loaded.
    ///
    /// - Throws: `CancellationError` when flushing or stopping begins.
    func awaitFirst(_ signals: StreamSignals) throws {
        if source == nil, let task = loading?.product { try signals.wait(for: task) }
    }

    private mutating func begin(_ wanted: DetectionSourceConfiguration, _ settings: Settings) {
        // The task does not retain the element, which may be destroyed before compilation finishes.
        let task = BackgroundTask { [make] in try LoadResult { warn in try make(settings, wanted.hint, warn) } }
        element.log(.info, "loading a detector in the background: \(wanted)")
        loading = (task, wanted)
    }

    private mutating func takeOver(
        _ result: Result<LoadResult<DetectionSource>, any Error>, of made: DetectionSourceConfiguration,
        settings: Settings
    ) throws -> Bool {
        configuration = made
        switch result {
        case .success(let product):
            let detector = product.logged(by: element)
            // A motion detector that replaces an unavailable network must not replace a working network.
            guard source == nil || product.problems.isEmpty else { return false }
            let previous = source
            source = detector
            Self.release(of: previous)
            element.log(.info, "switched to the loaded detector: \(made)")
            return true
        case .failure(let error):
            guard source != nil, !settings.namesDetectorParts else {
                // The next frame tries again and reports the error again.
                configuration = nil
                throw error
            }
            element.warn(ElementProblem(error, doing: "the current detector is kept"))
            return false
        }
    }

    /// Returns whether motion already replaces an unavailable network, which was reported when loading failed.
    private func isFallback(_ settings: Settings) -> Bool {
        settings.detector == .auto && source?.isSubstitute == true
    }

    /// Releases a detector on another thread, because its deinitialiser waits for detections in flight and frees the
    /// network.
    private static func release(of source: consuming DetectionSource?) {
        guard let source else { return }
        DetachedThread.run { withExtendedLifetime(source) {} }
    }
}
