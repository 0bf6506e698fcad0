/// A region of a frame on which inference runs. Objects may be cut off at the edges of the region, except at edges that
/// are also borders of the frame.
package struct InferredRegion: Hashable, Sendable {
    package let box: Box
    /// ``box`` without a narrow margin. A detection that extends into the margin counts as cut off. At borders of the
    /// frame, there is no margin, and `inner` is unlimited.
    private let inner: Box
    private let pictureWidth: Double
    private let pictureHeight: Double
    private let pixelAspectRatio: Double

    /// The margin as a fraction of the region's width or height. The margin is needed because the box of a cut object
    /// often ends slightly before the edge of the region.
    private static let cutMargin = 0.015
    /// An object is clearly visible if its size exceeds this fraction of the region's longer side. With 0.25, the
    /// object must be larger than 80 pixels in an input of 320 pixels.
    private static let clearShare = 0.25

    /// Creates a region. `box` is `nil` for the full frame. The size of the picture is in buffer pixels.
    /// `pixelAspectRatio` is the width of a pixel divided by its height.
    package init(_ box: Box?, width: Int, height: Int, pixelAspectRatio: Double = 1) {
        let whole = Box(x: 0, y: 0, width: Double(max(1, width)), height: Double(max(1, height)))
        let region = box.map { $0.isFinite ? whole.intersection($0) : whole } ?? whole
        self.box = region.isEmpty ? whole : region
        (pictureWidth, pictureHeight) = (whole.width, whole.height)
        self.pixelAspectRatio = TileGrid.clampedToRange(pixelAspectRatio)
        let (across, down) = (Self.cutMargin * self.box.width, Self.cutMargin * self.box.height)
        let far = 1e9
        inner = Box(
            minX: self.box.minX > 0.5 ? self.box.minX + across : -far,
            minY: self.box.minY > 0.5 ? self.box.minY + down : -far,
            maxX: self.box.maxX < whole.maxX - 0.5 ? self.box.maxX - across : far,
            maxY: self.box.maxY < whole.maxY - 0.5 ? self.box.maxY - down : far)
    }

    package var isWhole: Bool { box.width >= pictureWidth - 1 && box.height >= pictureHeight - 1 }

    /// How many times larger an object is in the network's input if this region is inferred instead of the full frame.
    /// At least 1.
    ///
    /// If the full frame and the input have different aspect ratios, the frame fills the input along one axis only. The
    /// magnification is the length of the frame divided by the length of the region along this axis. This ratio is the
    /// larger of the two ratios.
    package var magnification: Double { max(1, pictureWidth / box.width, pictureHeight / box.height) }

    /// Returns whether an object is large enough in this region for the detector to find it, regardless of the regions
    /// in which the object was detected before. The size of an object is the square root of its area. Sizes are in
    /// pixel heights, because the width of a pixel may differ from its height.
    package func showsClearly(_ box: Box) -> Bool {
        (max(0, box.area) * pixelAspectRatio).squareRoot()
            > Self.clearShare * max(self.box.width * pixelAspectRatio, self.box.height)
    }

    /// Returns whether a box reaches an edge of the region that is not a border of the frame. The box may then show
    /// only a part of an object.
    package func cuts(_ box: Box) -> Bool {
        box.minX < inner.minX || box.minY < inner.minY || box.maxX > inner.maxX || box.maxY > inner.maxY
    }
}

/// Distinguishes a detection of a part of an object from a detection of a separate object in front of it.
enum TileFragment {
    /// A detection counts as a part of an object only if more than this fraction of the detection's area is inside the
    /// object's box.
    private static let minimumShareInside = 0.7
    /// A detection counts as a detail of an object only if the object's score is more than this fraction of the
    /// detection's score.
    private static let minimumScoreRatio = 0.5

    static func lies(_ box: Box, within object: Box) -> Bool {
        box.intersection(object).area > minimumShareInside * box.area
    }

    /// Returns whether a detection is only a detail of an object of the same class, for example a head that was
    /// detected as a person.
    static func isDetail(_ box: Box, score: Double, of object: Box, score other: Double) -> Bool {
        other > minimumScoreRatio * score && lies(box, within: object)
    }
}
