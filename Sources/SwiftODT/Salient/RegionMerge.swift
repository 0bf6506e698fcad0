/// Merges regions that belong to one object: one overlaps the other, or they are adjacent with a small gap.
struct RegionMerge {
    /// Maximum gap in pixels.
    let reach: Double
    /// A region with at least this share of its neighbour's area is a separate object.
    var maximumPartShare = Double.infinity

    /// Share of the smaller region that must be covered by its neighbour, or adjacent to it.
    private static let share = 0.5

    /// Returns the regions after merging.
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
