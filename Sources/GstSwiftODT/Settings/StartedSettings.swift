import CODTGStreamer

/// The settings that the element uses: the current values of the properties, except that properties of the mutability
/// ``Property/Mutability/ready`` keep the values with which the element was started.
struct StartedSettings: Sendable {
    private(set) var current = Settings()
    /// The settings with which the detector was created; properties may have changed since then. `nil` while the element
    /// is not started.
    var started: Settings? { didSet { adapt() } }
    /// Computed when a property changes, so each frame only copies the settings.
    private(set) var effective = Settings()

    mutating func set(_ property: Property, to value: UnsafePointer<GValue>) {
        property.set(value, &current)
        adapt()
    }

    private mutating func adapt() {
        effective = current
        guard let started else { return }
        for property in Settings.properties where property.mutability == .ready { property.copy(started, &effective) }
    }
}
