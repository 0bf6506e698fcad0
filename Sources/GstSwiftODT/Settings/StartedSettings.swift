import CGStreamer

/// The effective settings of the element: the current properties, except that properties of mutability
/// ``Property/Mutability/ready`` keep their values from the start of the element.
struct StartedSettings: Sendable {
    /// The current values of all properties.
    private(set) var current = Settings()
    /// The settings at the start of the element; `nil` before.
    private(set) var started: Settings?
    /// The settings for frames. They are derived at each change, so that a frame only copies them.
    private(set) var effective = Settings()

    mutating func set(_ property: Property, to value: UnsafePointer<GValue>) {
        property.set(value, &current)
        adapt()
    }

    /// Stores the settings with which the element starts.
    ///
    /// - Parameter settings: The settings with which the detector was created. Properties may have been changed since
    ///   that.
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
