import CGStreamer
import SwiftODT

/// Which detector is at work, and which one is being made to take its place.
///
/// A network is never compiled on the streaming thread. The first detector is made when the element starts; where what it
/// should strive for depends on whether the stream is live and nobody upstream can tell yet, as with decoders that have still to find
/// out what they decode, when the caps come. Another one, because properties have changed, is made on a thread of its own
/// while the old one goes on, and takes over between two frames. One is made at a time.
struct DetectionSourceLoader {
    /// At work; `nil` while the first one is being made.
    private(set) var source: DetectionSource?

    private let make: DetectionSource.Maker
    private let element: ElementHandle
    private var configuration: DetectionSourceConfiguration?
    private var loading: (product: BackgroundTask<LoadResult<DetectionSource>>, configuration: DetectionSourceConfiguration)?

    /// - Parameter isLive: whether the stream is; `nil` where nobody can tell yet.
    /// - Throws: where what is named cannot be used.
    init(
        _ settings: Settings, isLive: Bool?, element: ElementHandle, make: @escaping DetectionSource.Maker
    ) throws {
        self.make = make
        self.element = element
        let wanted = DetectionSourceConfiguration(settings, isLive: isLive ?? false)
        let isDecided = isLive != nil || wanted == DetectionSourceConfiguration(settings, isLive: true)
        // What cannot be made shall be told of now.
        guard isDecided || !DetectionSource.isValid(settings) else { return }
        source = try element.listening { try make(settings, wanted.hint) { element.warn($0) } }
        configuration = wanted
    }

    /// Lets what is asked for now be made, and what has been made take over. Called between two frames; never waits.
    ///
    /// - Returns: whether another detector is at work.
    /// - Throws: where something that was named cannot be used.
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

    /// Waits for the first detector, where it is still being made.
    ///
    /// - Throws: `CancellationError` when flushing or stopping begins.
    func awaitFirst(_ signals: StreamSignals) throws {
        guard source == nil, let task = loading?.product else { return }
        try signals.interruptible(by: task.wake) {
            if !task.wait(unless: { signals.isInterrupted }) { throw CancellationError() }
        }
    }

    private mutating func begin(_ wanted: DetectionSourceConfiguration, _ settings: Settings) {
        // Nothing of the element is held on to: it may be gone before a network is compiled.
        let task = BackgroundTask { [make] in try LoadResult { warn in try make(settings, wanted.hint, warn) } }
        element.log(.info, "a detector is made beside the stream: \(wanted)")
        loading = (task, wanted)
    }

    private mutating func takeOver(
        _ result: Result<LoadResult<DetectionSource>, any Error>, of made: DetectionSourceConfiguration, settings: Settings
    ) throws -> Bool {
        configuration = made
        switch result {
        case .success(let product):
            let detector = product.logged(by: element)
            // Motion instead of a network is better than nothing, but not than the network that is there.
            guard source == nil || product.problems.isEmpty else { return false }
            let previous = source
            source = detector
            Self.release(of: previous)
            element.log(.info, "the detector that was made takes over: \(made)")
            return true
        case .failure(let error):
            guard source != nil, !settings.namesDetectorParts else {
                // Whoever asks next is told, too.
                configuration = nil
                throw error
            }
            element.warn(ElementProblem(error, doing: "the detector goes on as it was"))
            return false
        }
    }

    /// Whether motion stands in for a network that cannot be had, which was said when it was tried.
    private func isFallback(_ settings: Settings) -> Bool {
        settings.detector == .auto && source?.isSubstitute == true
    }

    /// A detector's end waits for what it has under way and frees its network: not on the streaming thread.
    private static func release(of source: consuming DetectionSource?) {
        guard let source else { return }
        DetachedThread.run { withExtendedLifetime(source) {} }
    }
}
