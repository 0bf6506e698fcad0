import SwiftODT

/// Converts red, green, blue and alpha to the components of a pixel format.
///
/// Lanes 0 to 2 of a result are Y, Cb and Cr, or R, G and B, or three times the grey level, depending on the format.
/// Lane 3 is alpha.
///
/// For SDR streams the conversion is linear, so it can be applied to premultiplied colours and to averages of colours.
/// For HDR streams, a colour is first converted to linear light. Then the transfer function of the stream is applied.
/// White then has the luminance of graphics white, which is darker than the peak luminance of the display.
struct ComponentMatrix {
    private let red: SIMD4<Float>
    private let green: SIMD4<Float>
    private let blue: SIMD4<Float>
    private let alpha: SIMD4<Float>
    private let transfer: ColorSpace.Transfer

    /// Grey formats use the full range and the weights of BT.601 at any frame size, as `libgstvideo` does.
    init(format: PixelFormat, colorSpace: ColorSpace) {
        let white = Float(format.depth.white)
        transfer = colorSpace.transfer
        if format.isRGB {
            red = [white, 0, 0, 0]
            green = [0, white, 0, 0]
            blue = [0, 0, white, 0]
            alpha = [0, 0, 0, white]
        } else if format.isGray {
            red = SIMD4(0.299, 0.299, 0.299, 0) * white
            green = SIMD4(0.587, 0.587, 0.587, 0) * white
            blue = SIMD4(0.114, 0.114, 0.114, 0) * white
            alpha = [0, 0, 0, white]
        } else {
            let weights = colorSpace.lumaWeights
            let weightGreen = 1 - weights.red - weights.blue
            // The number of levels that correspond to one level of an 8-bit format. Neutral chroma is 128 of these
            // 8-bit levels, in limited and in full range.
            let level = Float(1 << (format.depth.bits - 8))
            let (lumaScale, chromaScale) = colorSpace.fullRange ? (white, white) : (219 * level, 224 * level)
            let perBlue = chromaScale / (2 * (1 - weights.blue))
            let perRed = chromaScale / (2 * (1 - weights.red))
            red = [weights.red * lumaScale, -weights.red * perBlue, (1 - weights.red) * perRed, 0]
            green = [weightGreen * lumaScale, -weightGreen * perBlue, -weightGreen * perRed, 0]
            blue = [weights.blue * lumaScale, (1 - weights.blue) * perBlue, -weights.blue * perRed, 0]
            alpha = [colorSpace.fullRange ? 0 : 16 * level, 128 * level, 128 * level, white]
        }
    }

    /// Returns the samples of a premultiplied colour, from 0 to the format's white.
    @inline(__always)
    func samples(red r: Float, green g: Float, blue b: Float, alpha a: Float) -> SIMD4<Float> {
        guard transfer == .gamma else {
            let signals = signals(SIMD3(r, g, b), alpha: a)
            return red * signals.x + green * signals.y + blue * signals.z + alpha * a
        }
        return red * r + green * g + blue * b + alpha * a
    }

    /// Converts a premultiplied sRGB colour to the non-linear signals of the HDR stream.
    private func signals(_ color: SIMD3<Float>, alpha: Float) -> SIMD3<Float> {
        guard alpha > 0 else { return .zero }
        let paint = color / alpha
        let (r, g, b) = (Paint.light(paint.x), Paint.light(paint.y), Paint.light(paint.z))
        // This matrix converts colours from the primaries of BT.709 to the primaries of BT.2020. sRGB has the primaries
        // of BT.709.
        let wide = SIMD3(
            0.6274 * r + 0.3293 * g + 0.0433 * b, 0.0691 * r + 0.9195 * g + 0.0114 * b,
            0.0164 * r + 0.0880 * g + 0.8956 * b)
        return transfer.signals(wide) * alpha
    }
}
