import Glibc
import SwiftODT

enum Palette {
    /// - Parameter colors: The colours that were chosen for tracks. A track without a chosen colour has the colour of
    ///   its ID.
    static func paint(
        for object: AnnotatedObject, options: AnnotatorOptions, colors: TrackColors = TrackColors()
    ) -> Paint {
        switch options.colorMode {
        case .fixed: opaque(options.boxColor)
        case .category: paint(for: object.category)
        case .trackingID:
            if let id = object.id {
                colors.paint(of: id) ?? distinct(id)
            } else if object.label.isEmpty {
                opaque(options.boxColor)
            } else {
                distinct(number(of: object.label))
            }
        }
    }

    /// Returns the colour of an ARGB value. An alpha of 0 would make the drawing invisible, so it is treated as opaque.
    static func opaque(_ argb: UInt32) -> Paint {
        Paint(argb: argb >> 24 == 0 ? argb | 0xFF00_0000 : argb)
    }

    private static func paint(for category: SwiftODT.Category) -> Paint {
        switch category {
        case .unknown: Paint(argb: 0xFFB0_BEC5)
        case .fashionGood: Paint(argb: 0xFFFF_6EC7)
        case .homeGood: Paint(argb: 0xFF4F_A3FF)
        case .food: Paint(argb: 0xFFFF_9F1C)
        case .place: Paint(argb: 0xFFB3_88FF)
        case .plant: Paint(argb: 0xFF2E_CC71)
        }
    }

    /// Returns a number that depends only on the text and is the same in every process (FNV-1a hash).
    private static func number(of text: String) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash % 4096)
    }

    /// Returns the colour at the index `number` of a sequence. Consecutive colours differ clearly: the hue advances by
    /// the golden angle, and the lightness cycles through three values. The sequence repeats after 4,096 colours. The
    /// colour space is OKLCH, which is perceptually uniform.
    static func distinct(_ number: Int) -> Paint { color(number).paint }

    /// Returns the colour at an index, together with its coordinates in OKLab. Distances in OKLab correspond to
    /// perceived differences.
    static func color(_ number: Int) -> (paint: Paint, lab: SIMD3<Double>) {
        let index = ((number % 4096) + 4096) % 4096
        let angle = (12.5 + 137.508 * Double(index)) * .pi / 180
        let hue = (cos: cos(angle), sin: sin(angle))
        let lightness = [0.86, 0.78, 0.66][index % 3]
        var chroma = 0.22
        var rgb = linearRGB(lightness: lightness, chroma: chroma, hue: hue)
        // Some of these colours are outside the sRGB gamut. Their chroma is reduced until they are inside.
        while rgb.min() < -0.0001 || rgb.max() > 1.0001, chroma > 0 {
            chroma -= 0.005
            rgb = linearRGB(lightness: lightness, chroma: chroma, hue: hue)
        }
        let paint = Paint(red: encoded(rgb.x), green: encoded(rgb.y), blue: encoded(rgb.z))
        return (paint, SIMD3(lightness, chroma * hue.cos, chroma * hue.sin))
    }

    private static func linearRGB(lightness: Double, chroma: Double, hue: (cos: Double, sin: Double)) -> SIMD3<Double> {
        let a = chroma * hue.cos
        let b = chroma * hue.sin
        let cones = SIMD3(
            lightness + 0.3963377774 * a + 0.2158037573 * b, lightness - 0.1055613458 * a - 0.0638541728 * b,
            lightness - 0.0894841775 * a - 1.2914855480 * b)
        let cubed = cones * cones * cones
        return SIMD3(
            4.0767416621 * cubed.x - 3.3077115913 * cubed.y + 0.2309699292 * cubed.z,
            -1.2684380046 * cubed.x + 2.6097574011 * cubed.y - 0.3413193965 * cubed.z,
            -0.0041960863 * cubed.x - 0.7034186147 * cubed.y + 1.7076147010 * cubed.z)
    }

    private static func encoded(_ linear: Double) -> Float {
        let value = min(max(linear, 0), 1)
        return Float(value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055)
    }
}

/// A colour with the components red, green, blue and alpha, each 0 to 1. The colour is not premultiplied with alpha.
struct Paint: Hashable {
    var red: Float
    var green: Float
    var blue: Float
    var alpha: Float = 1
}

extension Paint {
    init(argb: UInt32) {
        self.init(
            red: Float((argb >> 16) & 255) / 255, green: Float((argb >> 8) & 255) / 255,
            blue: Float(argb & 255) / 255, alpha: Float(argb >> 24) / 255)
    }

    var opacity: Float { min(max(alpha, 0), 1) }

    static let black = Paint(red: 0, green: 0, blue: 0)
    static let white = Paint(red: 1, green: 1, blue: 1)

    func faded(_ factor: Float) -> Paint { with(alpha: alpha * factor) }

    func with(alpha: Float) -> Paint { Paint(red: red, green: green, blue: blue, alpha: alpha) }

    /// Converts a component of an sRGB colour to linear light.
    static func light(_ value: Float) -> Float {
        value <= 0.04045 ? value / 12.92 : powf((value + 0.055) / 1.055, 2.4)
    }

    /// The relative luminance of the colour as defined by WCAG.
    private var luminance: Float {
        0.2126 * Paint.light(red) + 0.7152 * Paint.light(green) + 0.0722 * Paint.light(blue)
    }

    var contrast: Paint {
        let light = luminance
        return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? .white : .black
    }
}
