/// How much each pixel stands out, 0...1, and the regions that do.
struct SaliencyMap {
    /// What hangs together and stands out.
    struct Region {
        /// In pixels of the map, its edges between pixels where the map crosses the threshold.
        var box: Box
        /// How many pixels stand out.
        var area: Int
        /// The sum of their values.
        var mass: Double

        var mean: Double { area > 0 ? mass / Double(area) : 0 }
    }

    let values: UnsafeBufferPointer<Float>
    let width: Int
    let height: Int
    /// Whether things that touch are told apart. In video they would be one in this frame and two in the next.
    var separatesThings = false

    /// In a map that stays below this everywhere nothing stands out.
    private static let faintest: Float = 0.1
    /// The threshold lies between these parts of the map's peak.
    private static let thresholdRange: ClosedRange<Float> = 0.2...0.65
    /// Regions that cover less of the map are specks.
    private static let speck = 0.0005
    /// What covers less is one thing.
    private static let minimumSplitShare = 0.004
    /// Of two things next to each other the smaller one is no part of the other where it covers this share of it.
    private static let maximumPartShare = 0.3
    /// So many of the largest regions are looked at.
    private static let maximumRegions = 32

    /// The regions that stand out, those that belong together as one. Costs one pass for the threshold and one for the regions.
    func regions() -> [Region] {
        guard let peak = values.max(), peak >= Self.faintest else { return [] }
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
        let minimum = Double(width * height) * Self.speck
        runs.connect()
        let whole = Self.regions(of: runs, masses: masses)
        let apart = separatesThings ? cut(whole, of: runs) : whole
        let found = apart.filter { Double($0.area) >= minimum }
            .sorted { $0.mass > $1.mass }.prefix(Self.maximumRegions).map { fitted($0, threshold: threshold) }
        return RegionMerge(
            reach: Double(max(width, height)) * 0.02, maximumPartShare: separatesThings ? Self.maximumPartShare : .infinity
        ).merged(found)
    }

    /// The pieces of the regions, which are numbered as those of `runs`.
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

    /// Half way between the means of the two kinds of values that Otsu's method tells apart best, within reason. Unlike the
    /// border between the kinds, it moves little when few values change.
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

    /// The region with its box's edges moved, by up to half a pixel, to where the map crosses the threshold: in video they
    /// move smoothly then.
    private func fitted(_ region: Region, threshold: Float) -> Region {
        let (left, right) = (Int(region.box.minX), Int(region.box.maxX) - 1)
        let (top, bottom) = (Int(region.box.minY), Int(region.box.maxY) - 1)
        func column(_ x: Int) -> Float { (top...bottom).reduce(0) { max($0, values[$1 * width + x]) } }
        func row(_ y: Int) -> Float { (left...right).reduce(0) { max($0, values[y * width + $1]) } }
        /// How far outside the innermost pixel's centre the crossing is.
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
