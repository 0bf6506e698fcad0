import SwiftODT

/// Loads an optional component of a stream: before the first frame if it is enabled at start, otherwise on a background
/// thread.
struct ComponentLoader<Component: Sendable> {
    /// The loaded component; `nil` until it is available.
    private(set) var component: Component?

    private let element: ElementHandle
    private let name: String
    private let make: @Sendable (Settings, _ warn: (ElementProblem) -> Void) throws -> Component
    private let isEnabled: (Settings) -> Bool
    private let isSpecified: (Settings) -> Bool
    private let fallback: String
    private var loading: BackgroundTask<LoadResult<Component>>?
    /// Loading is not retried until the element is restarted.
    private var hasFailed = false

    /// - Parameters:
    ///   - isSpecified: whether the user specified the component or its device, so that a failure is an error instead
    ///     of a warning.
    ///   - fallback: what happens without the component, for the warning.
    ///   - make: creates the component; its last argument receives warnings about unavailable features.
    init(
        _ name: String, element: ElementHandle, isEnabled: @escaping (Settings) -> Bool,
        isSpecified: @escaping (Settings) -> Bool, fallback: String,
        make: @escaping @Sendable (Settings, _ warn: (ElementProblem) -> Void) throws -> Component
    ) {
        (self.name, self.element, self.make) = (name, element, make)
        (self.isEnabled, self.isSpecified, self.fallback) = (isEnabled, isSpecified, fallback)
    }

    /// Loads the component now if it is enabled.
    ///
    /// - Throws: an error if the user specified a component that cannot be used.
    mutating func load(_ settings: Settings) throws {
        guard isEnabled(settings) else { return }
        try take(Result { try LoadResult { warn in try make(settings, warn) } }, settings)
    }

    /// Starts loading the component if it has been enabled, and installs it when it is ready. Does not wait.
    ///
    /// - Throws: an error if the user specified a component that cannot be used.
    mutating func adapt(to settings: Settings) throws {
        guard component == nil, !hasFailed, isEnabled(settings) else { return }
        if let result = loading?.take() {
            loading = nil
            try take(result, settings)
        } else if loading == nil {
            element.log(.info, "loading \(name) in the background")
            loading = BackgroundTask { [make] in try LoadResult { warn in try make(settings, warn) } }
        }
    }

    /// Waits until the component is loaded, if loading has started.
    ///
    /// - Throws: `CancellationError` when flushing or stopping begins.
    mutating func finishLoading(_ settings: Settings, _ signals: StreamSignals) throws {
        guard let loading else { return }
        try signals.wait(for: loading)
        try adapt(to: settings)
    }

    private mutating func take(_ result: Result<LoadResult<Component>, any Error>, _ settings: Settings) throws {
        do {
            component = try result.get().logged(by: element)
        } catch {
            hasFailed = true
            guard isSpecified(settings) else { return element.warn(ElementProblem(error, doing: fallback)) }
            throw error
        }
    }
}

/// A component that was loaded in the background, with the diagnostics of loading it. The background task does not
/// retain the element, which may have been destroyed, so the diagnostics are reported later.
struct LoadResult<Component: Sendable>: Sendable {
    /// The features that are unavailable, and what replaces them.
    let problems: [ElementProblem]
    private let component: Component
    private let entries: [Diagnostics.Entry]

    /// - Parameter make: creates the component; its argument receives warnings about unavailable features.
    init(_ make: (_ warn: (ElementProblem) -> Void) throws -> Component) throws {
        var problems: [ElementProblem] = []
        (component, entries) = try Diagnostics.recording { try make { problems.append($0) } }
        self.problems = problems
    }

    /// Reports the diagnostics through an element and returns the component.
    func logged(by element: ElementHandle) -> Component {
        entries.forEach(element.log)
        for problem in problems { element.warn(problem) }
        return component
    }
}
