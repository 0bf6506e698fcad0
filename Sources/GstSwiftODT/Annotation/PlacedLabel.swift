/// A label's text and place with the box that it belongs to, on the upright grid.
struct PlacedLabel: Hashable {
    /// The tracking ID; `nil` for an object that is not tracked.
    let id: Int?
    let text: String
    let place: PixelRect
    let box: PixelRect

    /// A description for the log.
    var summary: String {
        "label of \(id.map { "track \($0)" } ?? "an object"): \(text), \(place.summary), its box \(box.summary)"
    }
}

extension PixelRect {
    fileprivate var summary: String { "\(width)x\(height) at \(x), \(y)" }
}
