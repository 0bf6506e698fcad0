/// Where a label stands, and the box that it belongs to, on the upright grid.
struct PlacedLabel: Hashable {
    /// The tracking id; `nil` where there is none.
    let id: Int?
    let text: String
    let place: PixelRect
    let box: PixelRect

    /// For a log.
    var summary: String {
        "label of \(id.map { "track \($0)" } ?? "an object"): \(text), \(place.summary), its box \(box.summary)"
    }
}

extension PixelRect {
    fileprivate var summary: String { "\(width)x\(height) at \(x), \(y)" }
}
