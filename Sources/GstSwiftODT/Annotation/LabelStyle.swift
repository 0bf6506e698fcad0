/// All that decides how a label looks. Equal ones look the same, and are drawn once.
struct LabelStyle: Hashable {
    /// In full: where there is no room for all of it, what is left out follows from the rest.
    var text: String
    /// The colour behind the text; `nil` for text with an outline straight on the picture.
    var panel: Paint?
    var ink: Paint
    var rounded = false
}
