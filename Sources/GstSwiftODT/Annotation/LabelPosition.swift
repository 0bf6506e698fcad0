/// The position of a tracked object's label relative to its box, kept from frame to frame.
struct LabelPosition: Hashable {
    /// The sides of a box in order of preference.
    enum Side: CaseIterable {
        case above, below, right, left
    }

    var side: Side
    /// The distance along the side from the preferred position, the left or upper end, in pixels.
    var shift: Double
    /// How long the label has been hidden; `nil` if it is visible.
    var hiddenInterval: HiddenInterval?
    /// Whether the label is the short one because there was no room for the full one.
    var isShort = false
    /// The seconds for which there has been room for the full label again.
    var roomToGrow = 0.0

    /// The durations of a label that is hidden for lack of room at its side.
    struct HiddenInterval: Hashable {
        /// The seconds for which the label has been hidden.
        var duration = 0.0
        /// The seconds for which there has been room again.
        var room = 0.0
    }
}
