/// A frame with labelled foreground regions, for assigning pixels to objects.
struct LabeledFrame {
    let pixels: UnsafePointer<UInt8>
    let marks: PixelGrid<UInt8>
    let labeler: RegionLabeler
    let light: LightChange

    /// Margin around a box, in pixels, within which pixels still belong to its object.
    private static let rim = 1.5

    /// Returns a pixel's grey level under the lighting of the background model.
    @inline(__always)
    func level(_ i: Int) -> Float { (Float(pixels[i]) - light.offset) / light.gain }

    /// Returns the regions that remain of a region without the objects in the given boxes.
    func rest(of region: Int, without boxes: [Box]) -> [Region] {
        var left = ConnectedRuns()
        for run in labeler.runs where run.region == region {
            let row = Double(run.y) + 0.5
            let across = boxes.filter { row > $0.minY - Self.rim && row < $0.maxY + Self.rim }
            var start: Int?
            for x in run.start..<run.end {
                let column = Double(x) + 0.5
                let isLeft =
                    marks.base[run.y * marks.width + x] != 0
                    && !across.contains { column > $0.minX - Self.rim && column < $0.maxX + Self.rim }
                if isLeft {
                    start = start ?? x
                } else if let from = start {
                    left.add(row: run.y, from: from, to: x)
                    start = nil
                }
            }
            if let start { left.add(row: run.y, from: start, to: run.end) }
        }
        left.connect()
        var regions = [Region](repeating: Region(), count: left.regionCount)
        for run in left.runs {
            for x in run.start..<run.end {
                regions[run.region].add(x, run.y, strong: marks.base[run.y * marks.width + x] & 2 != 0)
            }
        }
        return regions
    }
}
