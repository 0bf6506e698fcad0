/// A font as people name one: `Sans`, `DejaVu Sans Bold`, `Serif Italic 14`.
struct FontDescription: Hashable {
    private(set) var family: String
    private(set) var bold = false
    private(set) var italic = false
    /// The size at the end, if there is one.
    private(set) var size: Double?

    init(_ text: String) {
        var words = text.split { $0.isWhitespace || $0 == "," }
        if words.count > 1, let last = words.last, let size = Double(last), size.isFinite, size > 0 {
            self.size = size
            words.removeLast()
        }
        while words.count > 1, let last = words.last?.lowercased() {
            switch last {
            case "bold": bold = true
            case "italic", "oblique": italic = true
            case "normal", "regular": break
            default:
                family = words.joined(separator: " ")
                return
            }
            words.removeLast()
        }
        family = words.isEmpty ? "Sans" : words.joined(separator: " ")
    }
}
