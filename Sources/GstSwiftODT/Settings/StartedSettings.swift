import CGStreamer

/// The settings that the element uses. They are the current values of the properties, with one exception. Properties of
/// the mutability ``Property/Mutability/ready`` keep the values with which the element was started.
struct StartedSettings: Sendable {
    /// The current values of all properties.
    private(set) var current = Settings()
    /// The values of all properties when the element started; `nil` while it is not started.
    private(set) var started: Settings?
    /// The settings that the element uses. They are computed when a property changes, so each frame only copies them.
    private(set) var effective = Settings()

    mutating func set(_ property: Property, to value: UnsafePointer<GValue>) {
        property.set(value, &current)
        adapt()
    }

    /// Stores the settings with which the element starts.
    ///
    /// - Parameter settings: The settings with which the detector was created. Properties may have changed since then.
    mutating func start(with settings: Settings) {
        started = settings
        adapt()
    }

    mutating func stop() {
        started = nil
        adapt()
    }

    private mutating func adapt() {
        effective = current
        guard let started else { return }
        for property in Settings.properties where property.mutability == .ready { property.copy(started, &effective) }
    }
}
