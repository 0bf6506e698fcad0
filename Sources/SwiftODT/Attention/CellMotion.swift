/// Where in the picture something moves that no known object explains, by the cells of ``ViewAges``.
///
/// Compares each cell's mean with what it has lately been, beside what all of them did: light that changes and a camera that turns
/// move everything, and that is nothing to look for.
struct CellMotion: Sendable {
    private(set) var isMoving = [Bool](repeating: false, count: ViewAges.columns * ViewAges.rows)
    private var means: [Float] = []
    private var sums = [Float](repeating: 0, count: ViewAges.columns * ViewAges.rows)
    private var changes = [Float](repeating: 0, count: ViewAges.columns * ViewAges.rows)

    /// Grey levels by which a cell's mean changes where something comes into it.
    private static let least: Float = 1.5
    /// The mean of what a cell was follows what it is by this share of a frame.
    private static let follow: Float = 0.2

    /// - Parameter known: where objects are, in buffer pixels.
    mutating func look(at plane: LumaPlane?, besides known: [Box]) {
        let (columns, rows) = (ViewAges.columns, ViewAges.rows)
        guard let plane, plane.width >= columns, plane.height >= rows else {
            for cell in isMoving.indices { isMoving[cell] = false }
            return
        }
        plane.withPixels { pixels in
            for row in 0..<rows {
                let (top, bottom) = (row * plane.height / rows, (row + 1) * plane.height / rows)
                for column in 0..<columns {
                    let (left, right) = (column * plane.width / columns, (column + 1) * plane.width / columns)
                    var sum: UInt32 = 0
                    for y in top..<bottom {
                        for x in left..<right { sum &+= UInt32(pixels[y * plane.width + x]) }
                    }
                    sums[row * columns + column] = Float(sum) / Float((bottom - top) * (right - left))
                }
            }
        }
        guard means.count == sums.count else {
            means = sums
            return
        }
        for cell in sums.indices { changes[cell] = abs(sums[cell] - means[cell]) }
        // Where most of the picture changes that is the camera, or the light.
        let usual = changes.sorted()[changes.count * 3 / 4]
        for cell in sums.indices {
            isMoving[cell] = changes[cell] > Self.least + 3 * usual
            means[cell] += (sums[cell] - means[cell]) * Self.follow
        }
        let (width, height) = (plane.scaleX * Double(plane.width), plane.scaleY * Double(plane.height))
        for box in known where box.isFinite {
            explain(box.scaled(x: Double(columns) / width, y: Double(rows) / height))
        }
    }

    /// - Parameter box: in cells.
    private mutating func explain(_ box: Box) {
        func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
            let first = min(Double(count), max(0, low.rounded(.down)))
            return Int(first)..<Int(min(Double(count), max(first, high.rounded(.up))))
        }
        for row in range(box.minY, box.maxY, ViewAges.rows) {
            for column in range(box.minX, box.maxX, ViewAges.columns) {
                isMoving[row * ViewAges.columns + column] = false
            }
        }
    }
}
