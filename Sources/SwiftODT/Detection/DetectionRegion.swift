/// What of a frame a detector is to look at, and how closely.
public enum DetectionRegion: Hashable, Sendable {
    /// All of it at once.
    case fullFrame
    /// A part, given in buffer pixels: at the network's input size it is seen larger than in the whole.
    case region(Box)
    /// All of it at once, and beside that all of its parts, as ``TileGrid`` lays them out: many times the cost.
    case grid
}

/// How large a picture a detector takes in at once, in pixels of the upright picture: what is larger is made smaller.
public struct InputSize: Hashable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}
