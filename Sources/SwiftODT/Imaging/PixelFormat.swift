/// The raw video formats that are understood as they are, with no conversion of the frame. All have 8 bits a component.
public enum PixelFormat: Int, CaseIterable, Sendable {
    case i420, yv12, nv12, nv21, y42b, y444, yuy2, uyvy, gray8
    case rgb, bgr, rgbx, bgrx, xrgb, xbgr, rgba, bgra, argb, abgr
}

/// Where one component (Y, U, V or R, G, B) of a pixel lies in its plane.
public struct PixelComponent: Sendable {
    /// The plane that holds it.
    public let plane: Int
    /// Bytes from the start of a row to its first sample.
    public let offset: Int
    /// Bytes from one sample to the next.
    public let step: Int
    /// How often the component is halved across (0 or 1).
    public let shiftX: Int
    /// How often the component is halved down (0 or 1).
    public let shiftY: Int

    init(_ plane: Int, _ offset: Int, _ step: Int, _ shiftX: Int = 0, _ shiftY: Int = 0) {
        self.plane = plane
        self.offset = offset
        self.step = step
        self.shiftX = shiftX
        self.shiftY = shiftY
    }
}

/// The three components of a pixel: Y, U, V for YUV formats, R, G, B for RGB ones, the same sample thrice for grey.
public struct PixelComponents: Sendable {
    public let first: PixelComponent
    public let second: PixelComponent
    public let third: PixelComponent
}

extension PixelFormat {
    public var isRGB: Bool { rawValue >= PixelFormat.rgb.rawValue }
    public var isGray: Bool { self == .gray8 }
    public var isYUV: Bool { !isRGB && !isGray }

    /// How many planes the format has.
    public var planeCount: Int {
        switch self {
        case .i420, .yv12, .y42b, .y444: 3
        case .nv12, .nv21: 2
        default: 1
        }
    }

    /// Where the components of a pixel lie.
    public var components: PixelComponents {
        switch self {
        case .i420: .init(first: .init(0, 0, 1), second: .init(1, 0, 1, 1, 1), third: .init(2, 0, 1, 1, 1))
        case .yv12: .init(first: .init(0, 0, 1), second: .init(2, 0, 1, 1, 1), third: .init(1, 0, 1, 1, 1))
        case .nv12: .init(first: .init(0, 0, 1), second: .init(1, 0, 2, 1, 1), third: .init(1, 1, 2, 1, 1))
        case .nv21: .init(first: .init(0, 0, 1), second: .init(1, 1, 2, 1, 1), third: .init(1, 0, 2, 1, 1))
        case .y42b: .init(first: .init(0, 0, 1), second: .init(1, 0, 1, 1), third: .init(2, 0, 1, 1))
        case .y444: .init(first: .init(0, 0, 1), second: .init(1, 0, 1), third: .init(2, 0, 1))
        case .yuy2: .init(first: .init(0, 0, 2), second: .init(0, 1, 4, 1), third: .init(0, 3, 4, 1))
        case .uyvy: .init(first: .init(0, 1, 2), second: .init(0, 0, 4, 1), third: .init(0, 2, 4, 1))
        case .gray8: .init(first: .init(0, 0, 1), second: .init(0, 0, 1), third: .init(0, 0, 1))
        case .rgb: .init(first: .init(0, 0, 3), second: .init(0, 1, 3), third: .init(0, 2, 3))
        case .bgr: .init(first: .init(0, 2, 3), second: .init(0, 1, 3), third: .init(0, 0, 3))
        case .rgbx, .rgba: .init(first: .init(0, 0, 4), second: .init(0, 1, 4), third: .init(0, 2, 4))
        case .bgrx, .bgra: .init(first: .init(0, 2, 4), second: .init(0, 1, 4), third: .init(0, 0, 4))
        case .xrgb, .argb: .init(first: .init(0, 1, 4), second: .init(0, 2, 4), third: .init(0, 3, 4))
        case .xbgr, .abgr: .init(first: .init(0, 3, 4), second: .init(0, 2, 4), third: .init(0, 1, 4))
        }
    }
}
