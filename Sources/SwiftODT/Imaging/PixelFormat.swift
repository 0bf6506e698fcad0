/// The raw video formats that the library reads without conversion. The names are those of GStreamer in lower case.
///
/// A number after `p` in a name is the number of bits per sample. Such samples are stored in little-endian 16-bit
/// words.
public enum PixelFormat: Int, CaseIterable, Sendable {
    /// 8-bit YUV or 8-bit grey. YUV is stored in three planes, in a luma plane and a plane of chroma pairs (NV), or as
    /// packed pairs of pixels (YUY2, UYVY).
    case i420, yv12, nv12, nv21, y42b, y444, yuy2, uyvy, gray8
    /// 8-bit RGB. The letters of the name give the order of the bytes. `x` is an unused byte, `a` is alpha.
    case rgb, bgr, rgbx, bgrx, xrgb, xbgr, rgba, bgra, argb, abgr
    /// Further 8-bit YUV formats, and `gbr`, which is 8-bit RGB in three planes.
    case yvyu, vyuy, nv16, nv61, nv24, ayuv, vuya, gbr
    /// YUV with 10, 12 or 16 bits, in three planes.
    case i420p10, i420p12, i422p10, i422p12, y444p10, y444p12, y444p16
    /// YUV with 10, 12 or 16 bits, in two planes or packed. `gray16` is 16-bit grey.
    case p010, p012, p016, y210, y212, gray16
    /// RGB with 10 or 12 bits in three planes, or with 16 bits packed.
    case gbrp10, gbrp12, argb64, rgba64, bgra64, abgr64
}

extension PixelFormat {
    package var isRGB: Bool { layout.colors == .rgb }
    package var isGray: Bool { layout.colors == .gray }
    package var isYUV: Bool { layout.colors == .yuv }

    /// The number of planes, 1 to 3.
    public var planeCount: Int { layout.planeCount }

    package var components: PixelComponents { layout.components }

    package var depth: SampleDepth { layout.depth }

    /// All other properties are derived from the layout.
    package var layout: PixelLayout {
        switch self {
        case .i420: .planar(shiftX: 1, shiftY: 1)
        case .yv12: .planar(shiftX: 1, shiftY: 1, u: 2, v: 1)
        case .nv12: .semiplanar(shiftX: 1, shiftY: 1)
        case .nv21: .semiplanar(shiftX: 1, shiftY: 1, u: 1, v: 0)
        case .nv16: .semiplanar(shiftX: 1, shiftY: 0)
        case .nv61: .semiplanar(shiftX: 1, shiftY: 0, u: 1, v: 0)
        case .nv24: .semiplanar(shiftX: 0, shiftY: 0)
        case .y42b: .planar(shiftX: 1, shiftY: 0)
        case .y444: .planar(shiftX: 0, shiftY: 0)
        case .yuy2: .paired(y: 0, u: 1, v: 3)
        case .yvyu: .paired(y: 0, u: 3, v: 1)
        case .uyvy: .paired(y: 1, u: 0, v: 2)
        case .vyuy: .paired(y: 1, u: 2, v: 0)
        case .ayuv: .packed(.yuv, 1, 2, 3, of: 4, alpha: 0)
        case .vuya: .packed(.yuv, 2, 1, 0, of: 4, alpha: 3)
        case .gray8: .gray()
        case .rgb: .packed(.rgb, 0, 1, 2, of: 3)
        case .bgr: .packed(.rgb, 2, 1, 0, of: 3)
        case .rgbx: .packed(.rgb, 0, 1, 2, of: 4)
        case .bgrx: .packed(.rgb, 2, 1, 0, of: 4)
        case .xrgb: .packed(.rgb, 1, 2, 3, of: 4)
        case .xbgr: .packed(.rgb, 3, 2, 1, of: 4)
        case .rgba: .packed(.rgb, 0, 1, 2, of: 4, alpha: 3)
        case .bgra: .packed(.rgb, 2, 1, 0, of: 4, alpha: 3)
        case .argb: .packed(.rgb, 1, 2, 3, of: 4, alpha: 0)
        case .abgr: .packed(.rgb, 3, 2, 1, of: 4, alpha: 0)
        case .gbr: .planarRGB()
        case .i420p10: .planar(shiftX: 1, shiftY: 1, .low(10))
        case .i420p12: .planar(shiftX: 1, shiftY: 1, .low(12))
        case .i422p10: .planar(shiftX: 1, shiftY: 0, .low(10))
        case .i422p12: .planar(shiftX: 1, shiftY: 0, .low(12))
        case .y444p10: .planar(shiftX: 0, shiftY: 0, .low(10))
        case .y444p12: .planar(shiftX: 0, shiftY: 0, .low(12))
        case .y444p16: .planar(shiftX: 0, shiftY: 0, .low(16))
        case .p010: .semiplanar(shiftX: 1, shiftY: 1, .high(10))
        case .p012: .semiplanar(shiftX: 1, shiftY: 1, .high(12))
        case .p016: .semiplanar(shiftX: 1, shiftY: 1, .high(16))
        case .y210: .paired(y: 0, u: 1, v: 3, .high(10))
        case .y212: .paired(y: 0, u: 1, v: 3, .high(12))
        case .gray16: .gray(.low(16))
        case .gbrp10: .planarRGB(.low(10))
        case .gbrp12: .planarRGB(.low(12))
        case .argb64: .packed(.rgb, 1, 2, 3, of: 4, alpha: 0, .low(16))
        case .rgba64: .packed(.rgb, 0, 1, 2, of: 4, alpha: 3, .low(16))
        case .bgra64: .packed(.rgb, 2, 1, 0, of: 4, alpha: 3, .low(16))
        case .abgr64: .packed(.rgb, 3, 2, 1, of: 4, alpha: 0, .low(16))
        }
    }
}
