import SwiftODT

/// The coordinate system of the drawing. It relates the upright picture to the buffer, which may be rotated and have
/// non-square pixels.
///
/// Drawings are laid out on the *upright grid*: the pixels of the buffer, rotated and flipped so that the picture is
/// upright. Sizes that a viewer perceives, such as line widths and font sizes, are in *display units*. A display unit
/// is the length of the shorter side of a pixel.
struct Canvas: Hashable {
    let format: PixelFormat
    let colorSpace: ColorSpace
    let orientation: Orientation
    /// The size of the buffer in pixels, before rotation.
    let width: Int
    let height: Int
    /// Whether the rows of two fields alternate in some or all frames. See ``Blender/interlaced``.
    let interlaced: Bool
    /// The width and height of a pixel of the upright grid in display units. The smaller one is 1.
    let unitX: Double
    let unitY: Double

    init(_ frame: Frame, interlaced: Bool) {
        self.init(
            format: frame.format, colorSpace: frame.colorSpace, orientation: frame.orientation, width: frame.width,
            height: frame.height, interlaced: interlaced, pixelAspectRatio: frame.pixelAspectRatio)
    }

    init(
        format: PixelFormat, colorSpace: ColorSpace, orientation: Orientation, width: Int, height: Int,
        interlaced: Bool, pixelAspectRatio given: Double
    ) {
        self.format = format
        self.colorSpace = colorSpace
        self.orientation = orientation
        self.width = width
        self.height = height
        self.interlaced = interlaced
        let sane = given.isFinite && given > 0 ? min(max(given, 0.125), 8) : 1
        let aspect = orientation.swapsAxes ? 1 / sane : sane
        unitX = max(aspect, 1)
        unitY = max(1 / aspect, 1)
    }
}

extension Canvas {
    var uprightWidth: Int { orientation.swapsAxes ? height : width }
    var uprightHeight: Int { orientation.swapsAxes ? width : height }

    /// The side of a square with the same area as the picture, in display units. Automatic line widths and font sizes
    /// are derived from it.
    var scale: Double {
        (Double(uprightWidth) * unitX * Double(uprightHeight) * unitY).squareRoot()
    }

    /// The length of the picture's shorter side in display units.
    var shorterSide: Double { min(Double(uprightWidth) * unitX, Double(uprightHeight) * unitY) }

    /// The alignment of drawings in the buffer, in pixels. It is a multiple of the chroma subsampling, so a drawing
    /// covers a shared chroma sample either completely or not at all. All formats, and all frames of a stream, use the
    /// same alignment, so that a drawing has the same position in all of them.
    private var alignment: (x: Int, y: Int) { (2, interlaced ? 4 : 2) }

    /// The alignment on the upright grid. The widths and heights of tiles are multiples of it.
    var step: (x: Int, y: Int) { orientation.swapsAxes ? (alignment.y, alignment.x) : alignment }

    /// The part of the upright grid that may be drawn on. It excludes incomplete alignment steps at the right and
    /// bottom edges of the buffer, for example an odd column.
    var region: PixelRect {
        let (alignX, alignY) = alignment
        return upright(
            PixelRect(
                x: 0, y: 0, width: width < alignX ? width : width - width % alignX,
                height: height < alignY ? height : height - height % alignY))
    }

    func upright(_ rect: PixelRect) -> PixelRect {
        PixelRect(exactly: orientation.upright(rect.box, bufferWidth: Double(width), bufferHeight: Double(height)))
    }

    func buffer(_ rect: PixelRect) -> PixelRect {
        PixelRect(exactly: orientation.buffer(rect.box, bufferWidth: Double(width), bufferHeight: Double(height)))
    }

    /// Returns the rectangle that is nearest to `box` and whose sides are multiples of ``alignment``. Both are on the
    /// upright grid. The rectangle is inside ``region`` and never empty.
    func snapped(_ box: Box) -> PixelRect {
        let target = orientation.buffer(box, bufferWidth: Double(width), bufferHeight: Double(height))
        let across = snapped(target.minX, target.maxX, step: alignment.x, size: width)
        let down = snapped(target.minY, target.maxY, step: alignment.y, size: height)
        return upright(PixelRect(minX: across.0, minY: down.0, maxX: across.1, maxY: down.1))
    }

    private func snapped(_ low: Double, _ high: Double, step: Int, size: Int) -> (Int, Int) {
        let end = size < step ? size : size - size % step
        func nearest(_ value: Double) -> Int {
            let inside = min(max(value, 0), Double(size))
            return min(Int((inside / Double(step)).rounded()) * step, end)
        }
        var first = nearest(low)
        let last = max(nearest(high), min(first + step, end))
        if first == last { first = max(0, last - step) }
        return (first, last)
    }

    /// Returns the size of the tile for a drawing: the drawing's size, rounded up to multiples of ``step``. Both sizes
    /// are in pixels of the upright grid.
    func tileSize(width: Double, height: Double) -> (width: Int, height: Int) {
        func up(_ value: Double, _ step: Int) -> Int { max(step, (Int(value.rounded(.up)) + step - 1) / step * step) }
        return (up(min(width, 65536), step.x), up(min(height, 65536), step.y))
    }
}

/// The line width and the font size for a frame, in display units, and the pens derived from the line width.
struct DrawingSizes: Hashable {
    /// The width of the lines of a box, in pixels of the upright grid. `across` is the width of vertical lines, `down`
    /// the height of horizontal lines.
    struct Pen: Hashable {
        var across: Int
        var down: Int
    }

    let lineWidth: Double
    let fontSize: Double
    let pen: Pen
    let strongPen: Pen

    init(_ options: AnnotatorOptions, font: NamedFont, canvas: Canvas) {
        func usable(_ value: Double, maximum: Double) -> Double? {
            value.isFinite && value > 0 ? min(value, maximum) : nil
        }
        let scale = canvas.scale
        let given = usable(options.lineWidth, maximum: max(1, scale / 4))
        // The automatic width is even, because subsampled chroma would blur lines of odd width.
        let usual = max(2, 2 * (scale / 800).rounded())
        lineWidth = given ?? usual
        // The style `corners` draws only a small part of each box, so its lines are wider.
        let width = given ?? (options.boxStyle == .corners ? 2 * usual : usual)
        let automaticSize = 8 + 0.011 * scale
        // There is no room for labels of a larger size, so they would be hidden.
        let largest = max(automaticSize, canvas.shorterSide / 6)
        // Pango cannot use sizes near 0.
        fontSize = max(
            1, usable(options.fontSize, maximum: largest) ?? font.size.map { min($0, largest) } ?? automaticSize)
        pen = DrawingSizes.pen(width, canvas)
        strongPen = DrawingSizes.pen(given.map { $0 * 1.5 } ?? max(width + 1, width * 1.5), canvas)
    }

    private static func pen(_ width: Double, _ canvas: Canvas) -> Pen {
        Pen(
            across: max(1, Int((width / canvas.unitX).rounded())),
            down: max(1, Int((width / canvas.unitY).rounded())))
    }
}

/// A rectangle of whole pixels, on the upright grid or in the buffer.
struct PixelRect: Hashable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
}

extension PixelRect {
    init(minX: Int, minY: Int, maxX: Int, maxY: Int) {
        self.init(x: minX, y: minY, width: maxX - minX, height: maxY - minY)
    }

    /// Creates a rectangle from a box whose edges are on pixel boundaries.
    init(exactly box: Box) {
        self.init(x: Int(box.x), y: Int(box.y), width: Int(box.width), height: Int(box.height))
    }

    var maxX: Int { x + width }
    var maxY: Int { y + height }
    var isEmpty: Bool { width <= 0 || height <= 0 }
    var area: Int { isEmpty ? 0 : width * height }
    var box: Box { Box(x: Double(x), y: Double(y), width: Double(width), height: Double(height)) }

    func intersection(_ other: PixelRect) -> PixelRect {
        let left = max(x, other.x)
        let top = max(y, other.y)
        return PixelRect(
            x: left, y: top, width: max(0, min(maxX, other.maxX) - left), height: max(0, min(maxY, other.maxY) - top))
    }

    func inset(x dx: Int, y dy: Int) -> PixelRect {
        PixelRect(x: x + dx, y: y + dy, width: width - 2 * dx, height: height - 2 * dy)
    }
}
