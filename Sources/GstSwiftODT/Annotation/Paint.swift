import Glibc

/// A colour: red, green, blue and alpha, 0 to 1, not premultiplied.
struct Paint: Hashable {
    var red: Float
    var green: Float
    var blue: Float
    var alpha: Float

    init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    init(argb: UInt32) {
        self.init(
            red: Float((argb >> 16) & 255) / 255, green: Float((argb >> 8) & 255) / 255,
            blue: Float(argb & 255) / 255, alpha: Float(argb >> 24) / 255)
    }

    /// Alpha clamped to 0 to 1.
    var opacity: Float { min(max(alpha, 0), 1) }

    static let black = Paint(red: 0, green: 0, blue: 0)
    static let white = Paint(red: 1, green: 1, blue: 1)

    func faded(_ factor: Float) -> Paint {
        var paint = self
        paint.alpha *= factor
        return paint
    }
}

extension Paint {
    /// Converts an sRGB component to linear light.
    static func light(_ value: Float) -> Float {
        value <= 0.04045 ? value / 12.92 : powf((value + 0.055) / 1.055, 2.4)
    }

    /// The relative luminance as defined by WCAG.
    private var luminance: Float {
        0.2126 * Paint.light(red) + 0.7152 * Paint.light(green) + 0.0722 * Paint.light(blue)
    }

    /// Black or white, whichever has more contrast with this colour.
    var contrast: Paint {
        let light = luminance
        return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? .white : .black
    }
}
