/// Where in a network's input the channels of a pixel lie: in planes of the whole picture, or of every second pixel of every second
/// row.
struct TensorOffsets {
    /// Pixels from one to the next in the same plane, across as well as down.
    let step: Int
    /// Numbers in a plane.
    let plane: Int
    private let width: Int

    init(_ input: NetworkInput) {
        step = input.layout == .spaceToDepth ? 2 : 1
        width = input.width / step
        plane = width * (input.height / step)
    }

    /// How many planes there are; those of the three channels lie together.
    var planes: Int { 3 * step * step }

    func offset(x: Int, y: Int, channel: Int) -> Int {
        let group = x % step * step + y % step
        return (group * 3 + channel) * plane + y / step * width + x / step
    }

    /// How many of `length` pixels from the one with number `first` on lie in that one's plane.
    func count(of length: Int, from first: Int) -> Int { (length - first + step - 1) / step }
}
