/// A region used for inference. Its edges cut objects unless they coincide with the picture's edges.
package struct InferredRegion: Hashable, Sendable {
    /// The region in buffer pixels.
    package let box: Box
    private let inner: Box
    private let pictureWidth: Double
    private let pictureHeight: Double
    private let pixelAspectRatio: Double

    /// Tolerance as a share of the region's side. Networks' boxes end slightly before an edge that cuts the object.
    private static let slack = 0.015
    /// Share of the region's longer side from which an object is clearly visible, which is 80 pixels of a 320-pixel
    /// input.
    private static let clearShare = 0.25

    /// Creates a region.
    /// - Parameters:
    ///   - box: the region, or `nil` for the full frame.
    ///   - width: the picture's width in buffer pixels.
    ///   - height: the picture's height in buffer pixels.
    ///   - pixelAspectRatio: the width of a pixel divided by its height.
    package init(_ box: Box?, width: Int, height: Int, pixelAspectRatio: Double = 1) {
        let whole = Box(x: 0, y: 0, width: Double(max(1, width)), height: Double(max(1, height)))
        let region = box.map { $0.isFinite ? whole.intersection($0) : whole } ?? whole
        self.box = region.isEmpty ? whole : region
        (pictureWidth, pictureHeight) = (whole.width, whole.height)
        self.pixelAspectRatio = TileGrid.clampedToRange(pixelAspectRatio)
        let (across, down) = (Self.slack * self.box.width, Self.slack * self.box.height)
        let far = 1e9
        inner = Box(
            minX: self.box.minX > 0.5 ? self.box.minX + across : -far,
            minY: self.box.minY > 0.5 ? self.box.minY + down : -far,
            maxX: self.box.maxX < whole.maxX - 0.5 ? self.box.maxX - across : far,
            maxY: self.box.maxY < whole.maxY - 0.5 ? self.box.maxY - down : far)
    }

    package var isWhole: Bool { box.width >= pictureWidth - 1 && box.height >= pictureHeight - 1 }

    /// The magnification relative to the full frame, at least 1. Regions have the network's aspect ratio, whereas a
    /// full frame of another shape fills only one side of the input.
    package var magnification: Double { max(1, pictureWidth / box.width, pictureHeight / box.height) }

    /// Returns whether an object is so large in this region that a detector would find it, whatever the magnification
    /// of its earlier detections.
    package func showsClearly(_ box: Box) -> Bool {
        (max(0, box.area) * pixelAspectRatio).squareRoot() > Self.clearShare * longer(self.box.width, self.box.height)
    }

    /// Returns the longer side after applying the pixel aspect ratio.
    private func longer(_ width: Double, _ height: Double) -> Double { max(width * pixelAspectRatio, height) }

    /// Returns whether a box reaches a cutting edge, so that it may be a fragment of an object.
    package func cuts(_ box: Box) -> Bool {
        box.minX < inner.minX || box.minY < inner.minY || box.maxX > inner.maxX || box.maxY > inner.maxY
    }
}

/// Tests whether a detection is a fragment or a detail of another object, rather than an object in front of it.
enum TileFragment {
    /// Minimum share of a fragment's area inside the object.
    private static let inside = 0.7
    /// A detection is not a detail if the object's score is at most this factor times the detection's score.
    private static let trustInDetails = 0.5

    /// Returns whether most of a box is inside an object's box.
    static func lies(_ box: Box, within object: Box) -> Bool { box.intersection(object).area > inside * box.area }

    /// Returns whether a detection is a mere detail of an object of the same class, for example a head detected as a
    /// person.
    static func isDetail(_ box: Box, score: Double, of object: Box, score other: Double) -> Bool {
        other > trustInDetails * score && lies(box, within: object)
    }
}
