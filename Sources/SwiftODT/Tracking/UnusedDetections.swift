/// The numbers of detections that a tracker did not use, by reason.
public struct UnusedDetections: Hashable, Sendable {
    /// Below the minimum score.
    public var weak = 0
    /// Too small, not finite, or far outside any picture.
    public var impossible = 0
    /// Duplicates of a stronger detection.
    public var doubled = 0
    /// Beyond the maximum number per result.
    public var surplus = 0

    public var count: Int { weak + impossible + doubled + surplus }
}
