import Glibc

/// A colour to draw with: red, green, blue and alpha, 0...1, not multiplied with one another.
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

    /// How much it hides of what lies below: alpha within its bounds.
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
    /// The light of a component, as sRGB has it.
    static func light(_ value: Float) -> Float {
        value <= 0.04045 ? value / 12.92 : powf((value + 0.055) / 1.055, 2.4)
    }

    /// Relative luminance as the web's contrast rule has it.
    private var luminance: Float {
        0.2126 * Paint.light(red) + 0.7152 * Paint.light(green) + 0.0722 * Paint.light(blue)
    }

    /// Black or white, whichever stands out more on this colour.
    var contrast: Paint {
        let light = luminance
        return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? .white : .black
    }
}
