extension Settings {
    enum DetectorChoice: Sendable {
        case auto, neural, salient, motion, upstream, recorded

        /// Whether it can look at a part of the picture.
        var acceptsRegions: Bool { self == .auto || self == .neural }
    }
}
