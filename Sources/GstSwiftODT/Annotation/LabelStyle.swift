/// All that decides how a label looks. Equal ones look the same, and are drawn once.
struct LabelStyle: Hashable {
    var text: String
    /// The colour behind the text; `nil` for text with an outline straight on the picture.
    var panel: Paint?
    var ink: Paint
    var rounded = false
}
