extension Settings {
    enum DetectorChoice: Sendable {
        case auto, neural, salient, motion, upstream, recorded

        /// Whether it can look at a part of the picture.
        var takesParts: Bool { self == .auto || self == .neural }
    }

    /// Which parts of the picture are looked at besides the whole. The words stand in recordings.
    enum Zoom: String, Sendable { case off, auto, grid }

    /// Whether each look is at the whole picture or at a part, as what is followed needs.
    var choosesParts: Bool { zoom == .auto && scene.follows && detector.takesParts }
}
