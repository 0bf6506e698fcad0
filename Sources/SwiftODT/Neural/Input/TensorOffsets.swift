/// Computes the offsets of pixels in a network's input. A plane holds the full picture or, in space-to-depth layout,
/// every second pixel of every second row.
struct TensorOffsets {
    /// The distance in pixels between neighbours of the same plane, horizontally and vertically: 1 or 2.
    let step: Int
    /// The number of elements in a plane.
    let plane: Int
    private let width: Int

    init(_ input: NetworkInput) {
        step = input.layout == .spaceToDepth ? 2 : 1
        width = input.width / step
        plane = width * (input.height / step)
    }

    /// The number of planes; the three channels of a group are adjacent.
    var planes: Int { 3 * step * step }

    func offset(x: Int, y: Int, channel: Int) -> Int {
        let group = x % step * step + y % step
        return (group * 3 + channel) * plane + y / step * width + x / step
    }

    /// Returns how many of `length` pixels, counted from index 0, lie in the same plane as the pixel with index
    /// `first`.
    func count(of length: Int, from first: Int) -> Int { (length - first + step - 1) / step }
}
