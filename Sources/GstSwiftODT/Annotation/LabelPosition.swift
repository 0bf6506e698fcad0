/// Where the label of an object that is followed stands at its box, from frame to frame.
struct LabelPosition: Hashable {
    /// In the order of preference.
    enum Side: CaseIterable {
        case above, below, right, left
    }

    var side: Side
    /// How far along its side it is from where it likes to be, the left or upper end, in pixels.
    var shift: Double
    /// Why there is no label just now; `nil` where there is one.
    var hiddenInterval: HiddenInterval?
    /// Whether the label is the short one, because the whole one had no room.
    var isShort = false
    /// For how long the whole label has had room again, in seconds.
    var roomToGrow = 0.0

    /// There was no room for it at its side.
    struct HiddenInterval: Hashable {
        /// For how long it has been away, in seconds.
        var duration = 0.0
        /// For how long there has been room again, in seconds.
        var room = 0.0
    }
}
