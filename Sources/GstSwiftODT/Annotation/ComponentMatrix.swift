import SwiftODT

/// Turns red, green, blue and alpha into the samples of a format: Y, U, V, or R, G, B, or grey, and alpha with them.
///
/// Linear, so it may be applied to colours multiplied with their alpha and to averages of them.
struct ComponentMatrix {
    private let red: SIMD4<Float>
    private let green: SIMD4<Float>
    private let blue: SIMD4<Float>
    private let alpha: SIMD4<Float>

    /// `libgstvideo` takes grey for full range with the weights of BT.601, whatever the size; so do we.
    init(format: PixelFormat, colorSpace: ColorSpace) {
        if format.isRGB {
            red = [255, 0, 0, 0]
            green = [0, 255, 0, 0]
            blue = [0, 0, 255, 0]
            alpha = [0, 0, 0, 255]
        } else if format.isGray {
            red = SIMD4(0.299, 0.299, 0.299, 0) * 255
            green = SIMD4(0.587, 0.587, 0.587, 0) * 255
            blue = SIMD4(0.114, 0.114, 0.114, 0) * 255
            alpha = [0, 0, 0, 255]
        } else {
            let weights = colorSpace.lumaWeights
            let weightGreen = 1 - weights.red - weights.blue
            let (lumaScale, chromaScale): (Float, Float) = colorSpace.fullRange ? (255, 255) : (219, 224)
            let perBlue = chromaScale / (2 * (1 - weights.blue))
            let perRed = chromaScale / (2 * (1 - weights.red))
            red = [weights.red * lumaScale, -weights.red * perBlue, (1 - weights.red) * perRed, 0]
            green = [weightGreen * lumaScale, -weightGreen * perBlue, -weightGreen * perRed, 0]
            blue = [weights.blue * lumaScale, (1 - weights.blue) * perBlue, -weights.blue * perRed, 0]
            alpha = [colorSpace.fullRange ? 0 : 16, 128, 128, 255]
        }
    }

    /// The samples of a colour that has been multiplied with its alpha; the last lane is alpha. All on 0...255.
    @inline(__always)
    func samples(red r: Float, green g: Float, blue b: Float, alpha a: Float) -> SIMD4<Float> {
        red * r + green * g + blue * b + alpha * a
    }
}
