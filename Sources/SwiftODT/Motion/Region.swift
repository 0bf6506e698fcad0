/// A connected region of foreground pixels, in plane coordinates. The maxima are exclusive.
struct Region {
    var minX = Int.max
    var minY = Int.max
    var maxX = 0
    var maxY = 0
    /// Number of foreground pixels.
    var area = 0
    /// Number of strongly marked pixels.
    var strong = 0

    var box: Box {
        Box(minX: Double(minX), minY: Double(minY), maxX: Double(maxX), maxY: Double(maxY))
    }

    /// Extends the region by a foreground pixel.
    mutating func add(_ x: Int, _ y: Int, strong isStrong: Bool) {
        minX = min(minX, x)
        minY = min(minY, y)
        maxX = max(maxX, x + 1)
        maxY = max(maxY, y + 1)
        area += 1
        if isStrong { strong += 1 }
    }
}
