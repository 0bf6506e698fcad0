extension Settings {
    enum DetectorChoice: Sendable {
        case auto, neural, salient, motion, upstream, recorded

        /// Whether it can look at a part of the picture.
        var takesParts: Bool { self == .auto || self == .neural }
    }

    /// Which parts of the picture are looked at besides the whole. The words stand in recordings.
    enum Zoom: String, Sendable { case off, grid }
}
