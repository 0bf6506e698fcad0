/// A part of the picture that was looked at, and which of its edges cut through what is there: those that are not the picture's.
public struct InferredRegion: Hashable, Sendable {
    /// In buffer pixels.
    public let box: Box
    private let inner: Box
    private let pictureWidth: Double
    private let pictureHeight: Double
    private let pixelAspectRatio: Double

    /// Boxes of networks end a little before the edge that they are cut by: so much of the part's side.
    private static let slack = 0.015
    /// Of the longer side: 80 pixels for a network that takes in 320.
    private static let clearShare = 0.25

    /// - Parameters:
    ///   - box: `nil` for the whole picture.
    ///   - width: the picture's, in buffer pixels, as its height.
    ///   - pixelAspectRatio: how wide a pixel is shown, and fed to a network, for its height.
    public init(_ box: Box?, width: Int, height: Int, pixelAspectRatio: Double = 1) {
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

    public var isWhole: Bool { box.width >= pictureWidth - 1 && box.height >= pictureHeight - 1 }

    /// How much larger things are seen than in the whole picture, from 1 up. Parts have the shape of what a network takes in, of which a
    /// whole picture of another shape fills one side alone.
    public var magnification: Double { max(1, pictureWidth / box.width, pictureHeight / box.height) }

    /// Whether a box fills so much of it that detectors see what is there, from however near it was found.
    public func showsClearly(_ box: Box) -> Bool {
        (max(0, box.area) * pixelAspectRatio).squareRoot() > Self.clearShare * longer(self.box.width, self.box.height)
    }

    /// The longer side as it is shown.
    private func longer(_ width: Double, _ height: Double) -> Double { max(width * pixelAspectRatio, height) }

    /// Whether a box reaches one of the edges that cut, or beyond it: it may be but a piece of what is there.
    public func cuts(_ box: Box) -> Bool {
        box.minX < inner.minX || box.minY < inner.minY || box.maxX > inner.maxX || box.maxY > inner.maxY
    }
}
