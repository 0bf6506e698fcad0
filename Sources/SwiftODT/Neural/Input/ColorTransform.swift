/// The affine transform from the resampled components of a pixel to the values of the network's input. It combines the
/// colour matrix, the sample range, the mean and the scale.
///
/// For HDR frames, the transform instead produces indices into the table of ``ToneMap``. The mean and the scale are
/// applied to the values of the table.
struct ColorTransform {
    /// Each vector has the factors of the three components (`x`, `y`, `z`) and the constant term (`w`).
    var red = SIMD4<Float>.zero
    var green = SIMD4<Float>.zero
    var blue = SIMD4<Float>.zero
    /// The results for red, green and blue are clamped to this range. Its ends are the results for the levels 0 and
    /// 255.
    var low = SIMD4<Float>.zero
    var high = SIMD4<Float>.zero

    init(format: PixelFormat, colorSpace: ColorSpace, input: NetworkInput) {
        var input = input
        if colorSpace.transfer != .gamma {
            input.mean = .zero
            input.scale = SIMD3(repeating: ToneMap.scale)
        }
        let fullRange = !format.isYUV || colorSpace.fullRange
        // Units of the resampled components per 8-bit level.
        let one = RowKernels.blendedOne(format.depth, fullRange: fullRange)
        let swapped = input.channelOrder == .bgr
        let mean = swapped ? SIMD3(input.mean.z, input.mean.y, input.mean.x) : input.mean
        let scale = swapped ? SIMD3(input.scale.z, input.scale.y, input.scale.x) : input.scale

        if format.isYUV {
            let (kr, kb) = colorSpace.lumaWeights
            let kg = 1 - kr - kb
            let luma: Float = colorSpace.fullRange ? 1 : 255 / 219
            let chroma: Float = colorSpace.fullRange ? 1 : 255 / 224
            let black: Float = colorSpace.fullRange ? 0 : 16
            let rv = 2 * (1 - kr) * chroma
            let bu = 2 * (1 - kb) * chroma
            let gu = -bu * kb / kg
            let gv = -rv * kr / kg
            // The neutral chroma (no colour) in 8-bit levels. It is exactly 128 * 64 units. For full-range samples with
            // more than 8 bits, this is slightly less than 128 levels, because a level has slightly more than 64 units.
            let neutral = 128 * RowKernels.blendedOne(.byte, fullRange: fullRange) / one
            red = SIMD4(luma, 0, rv, -luma * black - neutral * rv)
            green = SIMD4(luma, gu, gv, -luma * black - neutral * (gu + gv))
            blue = SIMD4(luma, bu, 0, -luma * black - neutral * bu)
        } else {
            red.x = 1
            green.y = 1
            blue.z = 1
        }
        red = Self.normalised(red, mean: mean.x, scale: scale.x, one: one)
        green = Self.normalised(green, mean: mean.y, scale: scale.y, one: one)
        blue = Self.normalised(blue, mean: mean.z, scale: scale.z, one: one)
        let black = (0 - mean) * scale
        let white = (255 - mean) * scale
        for channel in 0..<3 {
            low[channel] = min(black[channel], white[channel])
            high[channel] = max(black[channel], white[channel])
        }
    }

    private static func normalised(_ row: SIMD4<Float>, mean: Float, scale: Float, one: Float) -> SIMD4<Float> {
        let unit = scale / one
        return SIMD4(row.x * unit, row.y * unit, row.z * unit, (row.w - mean) * scale)
    }
}
