/// Marked pixels that hang together. Coordinates are pixels of the plane; the maxima are not part of it.
struct Region {
    var minX = Int.max
    var minY = Int.max
    var maxX = 0
    var maxY = 0
    /// Marked pixels in it.
    var area = 0
    /// Strongly marked pixels in it.
    var strong = 0

    var box: Box {
        Box(minX: Double(minX), minY: Double(minY), maxX: Double(maxX), maxY: Double(maxY))
    }

    mutating func add(_ x: Int, _ y: Int, strong isStrong: Bool) {
        minX = min(minX, x)
        minY = min(minY, y)
        maxX = max(maxX, x + 1)
        maxY = max(maxY, y + 1)
        area += 1
        if isStrong { strong += 1 }
    }
}
