/// Takes away the marks that need no thing of their own to explain them: those of known things, and of light that falls on
/// the ground. Tells what sticks out of known things from others.
///
/// Marks are cleared pixel by pixel, so that of two people who walk side by side as one region the one whom nobody knows is left.
final class ExplainedMotionFilter {
    /// What is left of the marks after ``clear(_:of:in:_:_:)``.
    let rest: PixelGrid<UInt8>
    /// The regions of ``rest``.
    let labeler: RegionLabeler
    private let lights: ShadowFilter
    private var known: [Box] = []

    /// Marks so many pixels apart may belong to one thing.
    private static let gap = 1
    /// How far around a known box its thing may reach: a share of the box, and pixels.
    private static let margin = 0.1
    private static let minimumMargin = 2.0
    /// What lies so near to a known thing, in pixels, and is smaller than this share of its box is a part of it: an arm, a shadow.
    private static let reach = 3.0
    private static let maximumPartShare = 0.5

    init(width: Int, height: Int) {
        rest = PixelGrid(width: width, height: height, filled: 0)
        labeler = RegionLabeler(width: width, height: height)
        lights = ShadowFilter(width: width, height: height, of: .lighter)
    }

    /// Finds the regions of what is left of the marks.
    ///
    /// - Parameters:
    ///   - causes: what marks are put down to; those of no thing are left out.
    ///   - boxes: where known things are.
    func clear(
        _ marks: PixelGrid<UInt8>, of causes: PixelGrid<UInt8>, in boxes: [Box], _ background: BackgroundModel,
        _ pixels: UnsafePointer<UInt8>
    ) {
        known = boxes.map { $0.grown(by: Self.margin, minimum: Self.minimumMargin) }
        let (rest, marks, causes) = (rest.base, marks.base, causes.base)
        for i in 0..<self.rest.count { rest[i] = BackgroundModel.Cause.isForeground(causes[i]) ? marks[i] : 0 }
        for box in known { clear(box) }
        labeler.label(self.rest, gap: Self.gap)
        if lights.clear(self.rest, of: labeler, background, pixels, locally: true) {
            labeler.label(self.rest, gap: Self.gap)
        }
    }

    private func clear(_ box: Box) {
        guard box.isFinite else { return }
        let inside = box.clipped(width: rest.width, height: rest.height)
        guard !inside.isEmpty else { return }
        let (left, right) = (Int(inside.minX), min(rest.width, Int(inside.maxX.rounded(.up))))
        for y in Int(inside.minY)..<min(rest.height, Int(inside.maxY.rounded(.up))) {
            (rest.base + y * rest.width + left).update(repeating: 0, count: right - left)
        }
    }

    /// Whether a region of ``rest`` is a part of a known thing.
    func isPart(_ region: Region) -> Bool {
        let box = region.box
        return known.contains { known in
            box.area < Self.maximumPartShare * known.area
                && !known.grown(by: 0, minimum: Self.reach).intersection(box).isEmpty
        }
    }
}

extension Box {
    /// Wider on each side by a share of its size, or by `minimum` where that is more.
    fileprivate func grown(by share: Double, minimum: Double) -> Box {
        let (across, down) = (max(share * width, minimum), max(share * height, minimum))
        return Box(x: x - across, y: y - down, width: width + 2 * across, height: height + 2 * down)
    }
}
