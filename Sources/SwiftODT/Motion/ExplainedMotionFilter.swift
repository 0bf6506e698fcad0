/// Removes the foreground of tracked objects, so that only unexplained motion remains.
///
/// The foreground is cleared pixel by pixel within the boxes of tracked objects. If a tracked and an untracked person
/// form one region, the foreground of the untracked person thus remains.
final class ExplainedMotionFilter {
    /// The foreground that remains after ``clear(_:of:in:)``.
    let rest: PixelGrid<UInt8>
    let labeler: RegionLabeler
    private var known: [Box] = []

    /// The radius of the dilation before the labelling, in pixels. It bridges gaps within a region.
    private static let gap = 1
    /// The margin around a tracked box on each side, as a fraction of the box's width or height.
    private static let margin = 0.1
    /// The lower bound of ``margin``, in pixels.
    private static let minimumMargin = 2.0
    /// The maximum distance in pixels between a region and a tracked object's enlarged box at which the region may be a
    /// part of the object, for example an arm or a shadow.
    private static let reach = 3.0
    /// A region may be a part of a tracked object only if its area is less than this fraction of the object's enlarged
    /// box.
    private static let maximumPartShare = 0.5

    init(width: Int, height: Int) {
        rest = PixelGrid(width: width, height: height, filled: 0)
        labeler = RegionLabeler(width: width, height: height)
    }

    /// Computes ``rest`` and its regions. Removes the pixels in the enlarged `boxes` of tracked objects, which are in
    /// plane pixels. Also removes pixels whose cause is not an object.
    func clear(_ marks: PixelGrid<UInt8>, of causes: PixelGrid<UInt8>, in boxes: [Box]) {
        known = boxes.map { $0.grown(by: Self.margin, minimum: Self.minimumMargin) }
        let (rest, marks, causes) = (rest.base, marks.base, causes.base)
        for i in 0..<self.rest.count { rest[i] = BackgroundModel.Cause.isForeground(causes[i]) ? marks[i] : 0 }
        for box in known { clear(box) }
        labeler.label(self.rest, gap: Self.gap)
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

    func isPart(_ region: Region) -> Bool {
        let box = region.box
        return known.contains { known in
            box.area < Self.maximumPartShare * known.area
                && !known.grown(by: 0, minimum: Self.reach).intersection(box).isEmpty
        }
    }
}
