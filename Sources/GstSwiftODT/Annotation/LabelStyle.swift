/// The properties that determine a label's pixels. Labels of equal style share one tile.
struct LabelStyle: Hashable {
    /// The complete text. If it is truncated, the other properties determine how.
    var text: String
    /// The colour behind the text; `nil` for outlined text without a panel.
    var panel: Paint?
    var ink: Paint
    var rounded = false
}
