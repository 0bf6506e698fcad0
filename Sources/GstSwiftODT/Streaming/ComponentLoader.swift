import SwiftODT

/// Loads an optional component of a stream, for example the classifier. A component that is enabled when the element
/// starts is loaded before the first frame. A component that is enabled later is loaded on a background thread.
struct ComponentLoader<Component: Sendable> {
    private(set) var component: Component?

    private let element: ElementHandle
    private let name: String
    private let make: @Sendable (Settings, _ warn: (ElementProblem) -> Void) throws -> Component
    private let isEnabled: (Settings) -> Bool
    private let isRequired: (Settings, _ isStarting: Bool) -> Bool
    private let fallback: String
    private var loading: BackgroundTask<LoadResult<Component>>?
    /// After a failure, the component is not loaded until the element restarts.
    private var hasFailed = false

    /// - Parameters:
    ///   - isRequired: whether a failure to load the component is an error. If not, it is a warning. `isStarting` is
    ///     `true` if the component was enabled when the element started, `false` if it was enabled later.
    ///   - fallback: the consequence of a missing component, for the text of the warning.
    ///   - make: creates the component. Its last argument receives warnings about unavailable features.
    init(
        _ name: String, element: ElementHandle, isEnabled: @escaping (Settings) -> Bool,
        isRequired: @escaping (Settings, _ isStarting: Bool) -> Bool, fallback: String,
        make: @escaping @Sendable (Settings, _ warn: (ElementProblem) -> Void) throws -> Component
    ) {
        (self.name, self.element, self.make) = (name, element, make)
        (self.isEnabled, self.isRequired, self.fallback) = (isEnabled, isRequired, fallback)
    }

    /// - Throws: an error if the user has specified a component that cannot be used.
    mutating func load(_ settings: Settings) throws {
        guard isEnabled(settings) else { return }
        try take(Result { try LoadResult { warn in try make(settings, warn) } }, settings, isStarting: true)
    }

    /// Loads the component in the background if it is enabled but missing, for example because a property has changed.
    /// Installs the component after it has been loaded. Does not wait.
    mutating func adapt(to settings: Settings) throws {
        guard component == nil, !hasFailed, isEnabled(settings) else { return }
        if let result = loading?.take() {
            loading = nil
            try take(result, settings, isStarting: false)
        } else if loading == nil {
            element.log(.info, "loading \(name) in the background")
            loading = BackgroundTask { [make] in try LoadResult { warn in try make(settings, warn) } }
        }
    }

    /// Removes the component, so that ``adapt(to:)`` loads it again.
    mutating func unload() { (component, loading, hasFailed) = (nil, nil, false) }

    /// Waits until the component is loaded, if loading has started.
    ///
    /// - Throws: `CancellationError` when flushing or stopping begins.
    mutating func finishLoading(_ settings: Settings, _ signals: StreamSignals) throws {
        guard let loading else { return }
        try signals.wait(for: loading)
        try adapt(to: settings)
    }

    private mutating func take(
        _ result: Result<LoadResult<Component>, any Error>, _ settings: Settings, isStarting: Bool
    ) throws {
        do {
            component = try result.get().logged(by: element)
        } catch {
            hasFailed = true
            guard isRequired(settings, isStarting) else { return element.warn(ElementProblem(error, doing: fallback)) }
            throw error
        }
    }
}

/// A component that was loaded in the background, and the diagnostics of its loading. The diagnostics are collected and
/// reported later. The background task must not use the element, because the element may be destroyed before the task
/// ends.
struct LoadResult<Component: Sendable>: Sendable {
    private let problems: [ElementProblem]
    private let component: Component
    private let entries: [Diagnostics.Entry]

    /// - Parameter make: creates the component. Its argument receives warnings about unavailable features.
    init(_ make: (_ warn: (ElementProblem) -> Void) throws -> Component) throws {
        var problems: [ElementProblem] = []
        (component, entries) = try Diagnostics.recording { try make { problems.append($0) } }
        self.problems = problems
    }

    func logged(by element: ElementHandle) -> Component {
        entries.forEach(element.log)
        for problem in problems { element.warn(problem) }
        return component
    }
}
