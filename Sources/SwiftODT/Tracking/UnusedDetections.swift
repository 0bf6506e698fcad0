/// How many detections a tracker was given that it could not use, and why.
public struct UnusedDetections: Hashable, Sendable {
    /// Too weak to say anything.
    public var weak = 0
    /// Of no size, not finite, or far from any picture.
    public var impossible = 0
    /// On the same object as a stronger one.
    public var doubled = 0
    /// Beyond what can be handled in a frame.
    public var surplus = 0

    public var count: Int { weak + impossible + doubled + surplus }
}
