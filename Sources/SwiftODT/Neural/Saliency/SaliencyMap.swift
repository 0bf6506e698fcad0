/// The saliency of each pixel of a picture, from 0 to 1, and the extraction of salient regions.
struct SaliencyMap {
    struct Region {
        /// In map pixels. The edges are interpolated to the positions where the saliency crosses the threshold.
        var box: Box
        /// The number of salient pixels.
        var area: Int
        /// The sum of the saliency of the salient pixels.
        var mass: Double

        var mean: Double { area > 0 ? mass / Double(area) : 0 }
    }

    let values: UnsafeBufferPointer<Float>
    let width: Int
    let height: Int
    /// Whether objects that touch each other become separate regions. Not suitable for video, because the result would
    /// alternate from frame to frame.
    var separatesThings = false

    /// If the highest saliency in the map is lower than this value, the map has no salient objects.
    private static let minimumPeak: Float = 0.1
    /// The range of the threshold for salient pixels, relative to the highest saliency in the map.
    private static let thresholdRange: ClosedRange<Float> = 0.2...0.65
    /// Relative to the area of the map.
    private static let minimumAreaShare = 0.0005
    /// A region is split only if its area is at least this fraction of the map's area.
    private static let minimumSplitShare = 0.004
    /// A region is merged with a larger neighbouring region if its area is below this fraction of the neighbour's area.
    /// If ``separatesThings`` is `false`, regions of any area are merged.
    private static let maximumPartShare = 0.3
    /// The regions with the largest sum of saliency are kept.
    private static let maximumRegions = 32

    func regions() -> [Region] {
        guard let peak = values.max(), peak >= Self.minimumPeak else { return [] }
        let threshold = threshold(peak: peak)
        var runs = ConnectedRuns()
        var masses: [Double] = []
        for y in 0..<height {
            let row = UnsafeBufferPointer(rebasing: values[y * width..<(y + 1) * width])
            var x = 0
            while x < width {
                guard row[x] >= threshold else {
                    x += 1
                    continue
                }
                let start = x
                var mass = 0.0
                while x < width, row[x] >= threshold {
                    mass += Double(row[x])
                    x += 1
                }
                runs.add(row: y, from: start, to: x)
                masses.append(mass)
            }
        }
        let minimum = Double(width * height) * Self.minimumAreaShare
        runs.connect()
        let whole = Self.regions(of: runs, masses: masses)
        let split = separatesThings ? cut(whole, of: runs) : whole
        let found = split.filter { Double($0.area) >= minimum }
            .sorted { $0.mass > $1.mass }.prefix(Self.maximumRegions).map { fitted($0, threshold: threshold) }
        return RegionMerge(
            reach: Double(max(width, height)) * 0.02,
            maximumPartShare: separatesThings ? Self.maximumPartShare : .infinity
        ).merged(found)
    }

    /// Splits large regions at narrow bridges. Returns the pieces and the regions that were not split. `runs`
    /// identifies a region by its index in `regions`.
    private func cut(_ regions: [Region], of runs: ConnectedRuns) -> [Region] {
        var pixels = [[(x: Int, y: Int)]](repeating: [], count: regions.count)
        let isCut = regions.map { Double($0.area) >= Self.minimumSplitShare * Double(width * height) }
        for run in runs.runs where isCut[run.region] { pixels[run.region] += (run.start..<run.end).map { ($0, run.y) } }
        return regions.indices.flatMap { number -> [Region] in
            guard isCut[number] else { return [regions[number]] }
            let box = regions[number].box
            let (left, top) = (Int(box.minX), Int(box.minY))
            let cut = NarrowBridgeSplitter(
                width: Int(box.width), height: Int(box.height), pixels: pixels[number].map { ($0.x - left, $0.y - top) }
            )
            var pieces = [Region?](repeating: nil, count: cut.islandCount)
            for (x, y) in pixels[number] {
                let pixel = Region(
                    box: Box(x: Double(x), y: Double(y), width: 1, height: 1), area: 1,
                    mass: Double(values[y * width + x]))
                let piece = cut.piece(x: x - left, y: y - top)
                if pieces[piece]?.absorb(pixel) == nil { pieces[piece] = pixel }
            }
            return pieces.compactMap(\.self)
        }
    }

    private static func regions(of runs: ConnectedRuns, masses: [Double]) -> [Region] {
        var regions = [Region?](repeating: nil, count: runs.regionCount)
        for (run, mass) in zip(runs.runs, masses) {
            let box = Box(x: Double(run.start), y: Double(run.y), width: Double(run.end - run.start), height: 1)
            let part = Region(box: box, area: run.end - run.start, mass: mass)
            if regions[run.region]?.absorb(part) == nil { regions[run.region] = part }
        }
        return regions.compactMap(\.self)
    }

    /// Returns the minimum saliency of a salient pixel. Otsu's method divides the pixels into two classes. The
    /// threshold is the midpoint between the means of the classes, limited to ``thresholdRange`` times `peak`, the
    /// highest saliency in the map. The midpoint is more robust against changes of single values than the boundary
    /// between the classes.
    private func threshold(peak: Float) -> Float {
        let bins = 64
        let level = withUnsafeTemporaryAllocation(of: Int.self, capacity: bins) { counts in
            counts.initialize(repeating: 0)
            let scale = Float(bins - 1) / peak
            for value in values { counts[max(0, min(bins - 1, Int(value * scale + 0.5)))] += 1 }
            let sum = counts.indices.reduce(0.0) { $0 + Double($1 * counts[$1]) }
            var (below, sumBelow, level, bestSpread) = (0, 0.0, 0.0, 0.0)
            for bin in 0..<bins - 1 {
                below += counts[bin]
                sumBelow += Double(bin * counts[bin])
                let above = values.count - below
                guard below > 0, above > 0 else { continue }
                let (dark, bright) = (sumBelow / Double(below), (sum - sumBelow) / Double(above))
                let spread = Double(below) * Double(above) * (bright - dark) * (bright - dark)
                if spread > bestSpread { (level, bestSpread) = ((dark + bright) / 2, spread) }
            }
            return Float(level) / Float(bins - 1)
        }
        let range = Self.thresholdRange
        return peak * min(max(level, range.lowerBound), range.upperBound)
    }

    /// Shifts each edge of the box by up to half a pixel, to the position where the interpolated saliency crosses the
    /// threshold. As a result, boxes move smoothly in video.
    private func fitted(_ region: Region, threshold: Float) -> Region {
        let (left, right) = (Int(region.box.minX), Int(region.box.maxX) - 1)
        let (top, bottom) = (Int(region.box.minY), Int(region.box.maxY) - 1)
        func column(_ x: Int) -> Float { (top...bottom).reduce(0) { max($0, values[$1 * width + x]) } }
        func row(_ y: Int) -> Float { (left...right).reduce(0) { max($0, values[y * width + $1]) } }
        /// Returns the shift of an edge outwards, -0.5 to 0.5 pixels. `inner` and `outer` are the maximum saliencies of
        /// the pixels on the inner and the outer side of the edge.
        func reach(_ inner: Float, _ outer: Float) -> Double {
            inner > outer ? Double(min(1, max(0, (inner - threshold) / (inner - outer)))) - 0.5 : 0
        }
        var fitted = region
        fitted.box = Box(
            minX: left > 0 ? Double(left) - reach(column(left), column(left - 1)) : 0,
            minY: top > 0 ? Double(top) - reach(row(top), row(top - 1)) : 0,
            maxX: right < width - 1 ? Double(right + 1) + reach(column(right), column(right + 1)) : Double(width),
            maxY: bottom < height - 1 ? Double(bottom + 1) + reach(row(bottom), row(bottom + 1)) : Double(height))
        return fitted
    }
}

extension SaliencyMap.Region {
    mutating func absorb(_ other: Self) {
        box = box.union(other.box)
        area += other.area
        mass += other.mass
    }
}

/// Merges regions that belong to one object: regions whose boxes overlap, and regions with a small gap between them.
struct RegionMerge {
    /// The maximum gap between two regions of one object, in map pixels.
    let reach: Double
    /// A region is merged with a larger neighbouring region only if its area is below this fraction of the neighbour's
    /// area.
    var maximumPartShare = Double.infinity

    /// Two regions belong to one object if the overlap of their boxes is at least this fraction of the smaller box. If
    /// there is a gap between the boxes, the boxes must face each other along more than this fraction of the shorter
    /// side.
    private static let share = 0.5

    func merged(_ regions: [SaliencyMap.Region]) -> [SaliencyMap.Region] {
        var merged: [SaliencyMap.Region] = []
        for region in regions {
            var region = region
            while let index = merged.firstIndex(where: { isPart($0, region) && belong($0.box, region.box) }) {
                region.absorb(merged.remove(at: index))
            }
            merged.append(region)
        }
        return merged
    }

    private func isPart(_ a: SaliencyMap.Region, _ b: SaliencyMap.Region) -> Bool {
        Double(min(a.area, b.area)) < maximumPartShare * Double(max(a.area, b.area))
    }

    private func belong(_ a: Box, _ b: Box) -> Bool {
        let across = min(a.maxX, b.maxX) - max(a.minX, b.minX)
        let down = min(a.maxY, b.maxY) - max(a.minY, b.minY)
        if across > 0, down > 0 { return across * down >= Self.share * min(a.area, b.area) }
        guard across > -reach, down > -reach else { return false }
        return across > Self.share * min(a.width, b.width) || down > Self.share * min(a.height, b.height)
    }
}
