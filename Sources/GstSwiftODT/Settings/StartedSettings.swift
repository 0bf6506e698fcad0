import CGStreamer

/// What the element goes by: its properties as they are now, but for those that wait for READY, as they were when it started.
struct StartedSettings: Sendable {
    /// As the properties say.
    private(set) var current = Settings()
    /// As they said when the element started; `nil` before.
    private(set) var started: Settings?
    /// What frames go by. Made at each change, so that a frame asks for no more than a copy.
    private(set) var effective = Settings()

    mutating func set(_ property: Property, to value: UnsafePointer<GValue>) {
        property.set(value, &current)
        adapt()
    }

    /// - Parameter settings: those that the detector was made with; others may have been set meanwhile.
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
