/// Loops over all bytes or pixels of a picture. They are in this target because Tests/run optimises it, but not the test
/// targets.
public enum PixelLoops {
    /// Returns `count` bytes; `value` returns each by its index.
    public static func bytes(_ count: Int, _ value: (Int) -> UInt8) -> [UInt8] { (0..<count).map(value) }

    /// Returns a byte of a ramp that repeats.
    public static func ramp(at index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 31 &+ 7) }

    /// Fills the rectangle of `columns` and `rows` with a sum of waves. Each wave is the product of a horizontal and a
    /// vertical factor.
    ///
    /// - Parameters:
    ///   - across: the horizontal factors of each column of the picture.
    ///   - down: the vertical factors of each row of the picture.
    public static func waves(
        in pixels: UnsafeMutableBufferPointer<UInt8>, columns: Range<Int>, rows: Range<Int>, mean: Double,
        across: [SIMD4<Double>], down: [SIMD4<Double>]
    ) {
        for row in rows {
            for column in columns {
                let waves = across[column] * down[row]
                let value = mean + waves.x + waves.y + waves.z + waves.w
                pixels[row * across.count + column] = UInt8(min(max(value, 0), 255))
            }
        }
    }

    /// Fills a picture of `width` pixels per row with a texture and camera noise.
    ///
    /// - Parameters:
    ///   - slope: the change of the texture per column.
    ///   - light: the value that is added to all pixels.
    public static func noisyTexture(
        in pixels: UnsafeMutableBufferPointer<UInt8>, width: Int, slope: Int, light: Int, _ dice: inout RandomNumbers
    ) {
        for y in 0..<pixels.count / width {
            for x in 0..<width {
                let level = 60 + (x * slope + y * 11) % 83 + light + Int.random(in: -2...2, using: &dice)
                pixels[y * width + x] = UInt8(clamping: level)
            }
        }
    }
}
