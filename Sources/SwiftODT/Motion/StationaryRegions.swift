/// Decides whether static foreground becomes background.
///
/// Static foreground is either a stopped object or a ghost. A stopped object is reported for some seconds and then
/// absorbed into the background. A ghost is the place of an object that was part of the background and has left. The
/// outline of an object is visible in the frame. The outline of a ghost is visible in the background model.
final class StationaryRegions {
    private let selected: PixelGrid<UInt8>
    private let labeler: RegionLabeler
    private var outlines: [Outline] = []
    private var waits: [Float] = []

    /// A pixel counts as static if it has not changed for this time, in seconds.
    private static let stillAfter: Float = 0.3
    /// Replaces ``stillAfter`` while the background model is not reliable yet.
    private static let stillAfterWhileUnreliable: Float = 0.15
    /// For each pixel of a stopped object, the time without change counts only up to this limit, in seconds.
    private static let holdTime: Float = 10
    /// A stopped object is absorbed when the time without change, averaged over its pixels, reaches this fraction of
    /// ``holdTime``. The fraction is below 1, because parts of a stopped object may still move.
    private static let holdShare: Float = 0.7
    private static let smallestArea: Float = 6
    /// The minimum fraction of static pixels in a ghost. An object may have uncovered the other pixels only a moment
    /// ago.
    private static let stillShare: Float = 0.4
    /// The contrast of a ghost's outline in the background exceeds `ghostRatio * contrast + ghostMargin`, where
    /// `contrast` is the contrast of the outline in the frame.
    private static let ghostRatio: Float = 1.5
    /// See ``ghostRatio``. In grey levels per border pixel.
    private static let ghostMargin: Float = 3
    /// If a region has not changed for this time in seconds, averaged over its pixels, a weaker condition is
    /// sufficient. The region then counts as a ghost if its outline is stronger in the background than in the frame.
    private static let doubtfulAfter: Float = 1.5

    /// The contrast at the border of a region, summed over the border pixels, in the frame (`seen`) and in the
    /// background (`learnt`). Borders with other objects do not count.
    private struct Outline {
        var seen: Float = 0
        var learnt: Float = 0
        var pixels: Float = 0
        var still: Float = 0
        /// The sum of the times without change over all pixels of the region, in seconds.
        var stillFor: Float = 0

        /// Returns whether the region is certainly a ghost. The region is then absorbed without waiting. The contrast
        /// of its outline must be mainly in the background instead of the frame, and most of its border must be
        /// adjacent to background.
        func isPlainGhost(area: Float) -> Bool {
            area >= 4 * StationaryRegions.smallestArea && pixels > 2.5 * area.squareRoot()
                && learnt > 5 * seen + 2 * StationaryRegions.ghostMargin * pixels
        }
    }

    init(width: Int, height: Int) {
        selected = PixelGrid(width: width, height: height, filled: 0)
        labeler = RegionLabeler(width: width, height: height)
    }

    func absorbStoppedObjects(
        _ marks: PixelGrid<UInt8>, of objects: RegionLabeler, _ background: BackgroundModel,
        _ pixels: UnsafePointer<UInt8>
    ) {
        waits = Array(repeating: 0, count: objects.regions.count)
        objects.forEachPixel(of: marks) { region, _, _, index in
            waits[region] += min(background.stillFor.base[index], Self.holdTime)
        }
        let isOver = objects.regions.indices.map { region in
            waits[region] >= Self.holdShare * Self.holdTime * Float(objects.regions[region].area)
        }
        guard isOver.contains(true) else { return }
        objects.forEachPixel(of: marks) { region, x, y, _ in
            if isOver[region] { absorb(around: x, y, background, pixels) }
        }
    }

    /// Absorbs all static foreground into the background. Used in the state ``SceneStability/Verdict/drifting``: the
    /// background model was restarted recently and differs from the frame in many places.
    func absorbAll(_ background: BackgroundModel, _ pixels: UnsafePointer<UInt8>) {
        for i in 0..<selected.count
        where background.marks.base[i] != BackgroundModel.Mark.background
            && background.stillFor.base[i] >= Self.stillAfterWhileUnreliable
        {
            background.absorb(i, pixels[i])
        }
    }

    /// Absorbs ghosts into the background.
    ///
    /// A moving object and the ghost that it leaves are adjacent and would form one region. Usually the object is
    /// lighter and the ghost is darker than the background, or the reverse. Lighter and darker areas are therefore
    /// processed separately.
    func absorbGhosts(_ background: BackgroundModel, _ pixels: UnsafePointer<UInt8>) {
        absorbGhosts(background, pixels) { $0 > 0 }
        absorbGhosts(background, pixels) { $0 < 0 }
    }

    private func absorbGhosts(
        _ background: BackgroundModel, _ pixels: UnsafePointer<UInt8>, where isSelected: (_ difference: Float) -> Bool
    ) {
        let (marks, stillFor, smoothed) = (background.marks.base, background.stillFor.base, background.smoothed.base)
        let (selectedBase, count) = (selected.base, selected.count)
        var any = false
        var i = 0
        while i < count {
            if marks[i] != 0, isSelected(smoothed[i]) {
                selectedBase[i] = 1
                any = true
            } else {
                selectedBase[i] = 0
            }
            i &+= 1
        }
        guard any else { return }
        labeler.label(selected, gap: 0)
        outlines = Array(repeating: Outline(), count: labeler.regions.count)
        labeler.forEachPixel(of: selected) { region, x, y, index in
            outlines[region].stillFor += stillFor[index]
            if stillFor[index] >= Self.stillAfter { outlines[region].still += 1 }
            trace(region, x, y, background, pixels)
        }
        let ghosts = labeler.regions.indices.map { isGhost(outlines[$0], area: Float(labeler.regions[$0].area)) }
        let plain = labeler.regions.indices.map { outlines[$0].isPlainGhost(area: Float(labeler.regions[$0].area)) }
        labeler.forEachPixel(of: selected) { region, x, y, index in
            if plain[region] || ghosts[region] && stillFor[index] >= Self.stillAfter {
                absorb(around: x, y, background, pixels)
            }
        }
    }

    private func isGhost(_ outline: Outline, area: Float) -> Bool {
        if outline.stillFor > Self.doubtfulAfter * area { return outline.learnt > outline.seen }
        return area >= Self.smallestArea && outline.still >= Self.stillShare * area
            && outline.learnt > Self.ghostRatio * outline.seen + Self.ghostMargin * outline.pixels
    }

    private func absorb(around x: Int, _ y: Int, _ background: BackgroundModel, _ pixels: UnsafePointer<UInt8>) {
        for row in max(0, y - 1)...min(background.height - 1, y + 1) {
            for column in max(0, x - 1)...min(background.width - 1, x + 1) {
                let near = row * background.width + column
                guard background.marks.base[near] != BackgroundModel.Mark.background else { continue }
                background.absorb(near, pixels[near])
            }
        }
    }

    /// If a pixel is at the border of its region, adds the contrast at this border to the outline of the region.
    private func trace(
        _ region: Int, _ x: Int, _ y: Int, _ background: BackgroundModel, _ pixels: UnsafePointer<UInt8>
    ) {
        let (width, height) = (selected.width, selected.height)
        let learnt = background.expected.base
        for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            let (nextX, nextY) = (x + dx, y + dy)
            guard nextX >= 0, nextX < width, nextY >= 0, nextY < height, selected.base[nextY * width + nextX] == 0
            else {
                continue
            }
            // Only borders with background count. A border with another object shows the edge of the other object.
            guard background.marks.base[nextY * width + nextX] == BackgroundModel.Mark.background else { continue }
            let outside = min(max(y + 2 * dy, 0), height - 1) * width + min(max(x + 2 * dx, 0), width - 1)
            let inside = min(max(y - dy, 0), height - 1) * width + min(max(x - dx, 0), width - 1)
            outlines[region].seen += abs(Float(pixels[inside]) - Float(pixels[outside]))
            outlines[region].learnt += abs(learnt[inside] - learnt[outside])
            outlines[region].pixels += 1
        }
    }
}
