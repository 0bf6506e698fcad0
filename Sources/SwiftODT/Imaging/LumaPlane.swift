/// A reduced grey copy of a frame in buffer orientation, used by motion detection, point flow and scene-cut detection.
///
/// The plane owns its memory and is immutable after initialisation, so threads may share it.
public final class LumaPlane: @unchecked Sendable {
    public let width: Int
    public let height: Int
    /// Buffer pixels per plane pixel, horizontally and vertically.
    public let scaleX: Double
    public let scaleY: Double
    /// Running time of the source frame, in nanoseconds.
    public let time: Nanoseconds
    /// `width * height` samples in row order, full range 0...255. They are valid as long as the plane is. Use
    /// ``withPixels(_:)`` if nothing else keeps the plane alive.
    public let pixels: UnsafeBufferPointer<UInt8>

    /// Takes ownership of `pixels`, which must hold `width * height` bytes.
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

    /// Calls `body` with the samples and keeps the plane alive until `body` returns.
    public func withPixels<Answer>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Answer) rethrows -> Answer {
        try withExtendedLifetime(self) { try body(pixels) }
    }
}
