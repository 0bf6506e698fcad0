/// The affine transform from resampled components to network input values: colour matrix, range, mean and scale.
///
/// For HDR frames, the transform produces indices into the table of ``ToneMap`` instead. Mean and scale are then
/// applied to the table's values.
struct ColorTransform {
    /// The factors of the three components and the constant term, for red, green and blue.
    var red = SIMD4<Float>.zero
    var green = SIMD4<Float>.zero
    var blue = SIMD4<Float>.zero
    /// The smaller and the larger of the values for the levels 0 and 255, for red, green and blue. Results are clamped
    /// to this range.
    var low = SIMD4<Float>.zero
    var high = SIMD4<Float>.zero

    init(format: PixelFormat, colorSpace: ColorSpace, input: NetworkInput) {
        var input = input
        if colorSpace.transfer != .gamma {
            input.mean = .zero
            input.scale = SIMD3(repeating: ToneMap.scale)
        }
        let fullRange = !format.isYUV || colorSpace.fullRange
        // The value of a component level of 1 after resampling.
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
            // In full range, samples with more than 8 bits scale to slightly more than 255 levels; this is their
            // neutral chroma.
            let neutral = 128 * RowKernels.blendedOne(.byte, fullRange: fullRange) / one
            red = SIMD4(luma, 0, rv, -luma * black - neutral * rv)
            green = SIMD4(luma, gu, gv, -luma * black - neutral * (gu + gv))
            blue = SIMD4(luma, bu, 0, -luma * black - neutral * bu)
        } else {
            // Each channel is one component.
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
