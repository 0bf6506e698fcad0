/// A small grey copy of a frame, in buffer orientation: what motion detection, image motion and cut detection look at.
///
/// Owned memory, immutable once filled, so it may be kept and passed between threads.
public final class LumaPlane: @unchecked Sendable {
    public let width: Int
    public let height: Int
    /// Buffer pixels a plane pixel stands for, across and down.
    public let scaleX: Double
    public let scaleY: Double
    /// Running time of the frame it was taken from.
    public let time: Nanoseconds
    /// `width * height` samples, row by row, full range 0...255. They live as long as the plane: whoever reads them from a
    /// plane that nothing else holds does so inside ``withPixels(_:)``.
    public let pixels: UnsafeBufferPointer<UInt8>

    /// Takes over `pixels`, which must have been allocated for `width * height` bytes.
    init(
        adopting pixels: UnsafeMutableBufferPointer<UInt8>, width: Int, height: Int, scaleX: Double, scaleY: Double,
        time: Nanoseconds
    ) {
        self.pixels = UnsafeBufferPointer(pixels)
        self.width = width
        self.height = height
        self.scaleX = scaleX
        self.scaleY = scaleY
        self.time = time
    }

    deinit { pixels.deallocate() }

    /// Lends the samples; the plane is there for as long as `body` runs.
    public func withPixels<Answer>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Answer) rethrows -> Answer {
        try withExtendedLifetime(self) { try body(pixels) }
    }
}
