/// The appearance of an object as a set of sampled pixels. It locates the object in a region that the object shares
/// with others.
///
/// The template is compared with the frame at positions around the predicted position, by the sum of absolute
/// differences. The difference of each sample is limited, so occluded samples have limited influence.
struct ObjectTemplate {
    /// The position of a sampled pixel in the plane, and its grey level.
    private struct Sample {
        let x: Int
        let y: Int
        let level: Float
    }

    /// The box of the object when the template was created.
    let box: Box
    private let samples: [Sample]

    /// The approximate number of samples.
    private static let size = 160.0
    /// The limit for the absolute difference of one sample, in grey levels.
    private static let limit: Float = 24
    /// The search radius around the predicted position for an object that does not move, in pixels.
    private static let reach = 3.0
    /// For each pixel that the object moves per frame, the search radius grows by this number of pixels.
    private static let reachOfStep = 0.25
    private static let maximumReach = 8.0
    /// The penalty in grey levels for each pixel of distance from the predicted position.
    private static let inertia: Float = 0.15

    init(of box: Box, in frame: LabeledFrame) {
        self.box = box
        let inside = box.clipped(width: frame.marks.width, height: frame.marks.height)
        let step = max(1, Int((inside.area / Self.size).squareRoot()))
        var samples: [Sample] = []
        samples.reserveCapacity(Int(Self.size) * 4)
        for y in stride(from: Int(inside.minY), to: Int(inside.maxY), by: step) {
            for x in stride(from: Int(inside.minX), to: Int(inside.maxX), by: step) {
                let i = y * frame.marks.width + x
                if frame.marks.base[i] != 0 { samples.append(Sample(x: x, y: y, level: frame.level(i))) }
            }
        }
        self.samples = samples
    }

    /// Returns the position of the object near the predicted box `place`, and the visible fraction of the object at
    /// this position, 0 to 1. `step` is the displacement of the object per frame, in pixels.
    func find(near place: Box, step: Double, in frame: LabeledFrame) -> (box: Box, support: Double) {
        let (width, height) = (frame.marks.width, frame.marks.height)
        let (across, down) = (Int((place.minX - box.minX).rounded()), Int((place.minY - box.minY).rounded()))
        let reach = Int(min(Self.reach + Self.reachOfStep * step, Self.maximumReach))
        var best = (x: across, y: down, cost: Float.infinity, error: Float.infinity)
        for dy in down - reach...down + reach {
            for dx in across - reach...across + reach {
                var (sum, count): (Float, Float) = (0, 0)
                for sample in samples {
                    let (x, y) = (sample.x + dx, sample.y + dy)
                    guard x >= 0, x < width, y >= 0, y < height else { continue }
                    sum += min(abs(frame.level(y * width + x) - sample.level), Self.limit)
                    count += 1
                }
                guard count * 4 >= Float(samples.count), count > 0 else { continue }
                let error = sum / count
                let cost = error + Self.inertia * Float(abs(dx - across) + abs(dy - down))
                if cost < best.cost { best = (dx, dy, cost, error) }
            }
        }
        guard best.cost < .infinity else { return (place, 0) }
        return (box.offset(x: Double(best.x), y: Double(best.y)), Double(1 - best.error / Self.limit))
    }
}

/// A frame with labelled foreground regions, and the lighting under which it was recorded.
struct LabeledFrame {
    let pixels: UnsafePointer<UInt8>
    let marks: PixelGrid<UInt8>
    let labeler: RegionLabeler
    let light: LightChange

    /// Pixels outside an object's box still belong to the object if their distance from the box is less than this
    /// value, in pixels.
    private static let rim = 1.5

    /// Returns the grey level of a pixel under the lighting of the background model.
    @inline(__always)
    func level(_ i: Int) -> Float { (Float(pixels[i]) - light.offset) / light.gain }

    /// Returns the parts of a region that objects in the given boxes do not cover.
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
