/// The region of a frame that a detector processes.
public enum DetectionRegion: Hashable, Sendable {
    /// The full frame.
    case fullFrame
    /// A region in buffer pixels. Scaled to the network's input size, its content appears larger than in the full
    /// frame.
    case region(Box)
    /// The full frame and all tiles of a ``TileGrid``. The cost grows with the number of tiles.
    case grid
}

/// The input size of a detector in pixels of the upright picture. Larger pictures are scaled down.
public struct InputSize: Hashable, Sendable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}
