/// One answer of a detector: something is there.
public struct Detection: Sendable {
    /// Where, in buffer pixels.
    public var box: Box
    /// How sure the detector is, 0...1.
    public var score: Double
    /// What it calls it; `nil` for detectors that do not say.
    public var label: Label?

    public init(box: Box, score: Double, label: Label? = nil) {
        self.box = box
        self.score = score
        self.label = label
    }
}
