extension Settings {
    enum DetectorChoice: Sendable {
        case auto, neural, salient, motion, upstream, recorded

        /// Whether it can look at a part of the picture.
        var takesParts: Bool { self == .auto || self == .neural }
    }
}
