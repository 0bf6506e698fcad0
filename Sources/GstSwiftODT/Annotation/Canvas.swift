import SwiftODT

/// The coordinate system of the drawing: an upright picture over a buffer that may be rotated and have non-square
/// pixels.
///
/// The layout uses the *upright grid*: the pixels of the buffer, rotated so that text is readable. Sizes that a viewer
/// perceives (line widths, letters) are in *display units*; one display unit is the shorter side of a pixel.
struct Canvas: Hashable {
    let format: PixelFormat
    let colorSpace: ColorSpace
    let orientation: Orientation
    /// The buffer's size, not rotated.
    let width: Int
    let height: Int
    /// Whether chroma rows belong to fields.
    let interlaced: Bool
    /// The width and height of an upright pixel in display units; the smaller one is 1.
    let unitX: Double
    let unitY: Double

    init(_ frame: Frame, interlaced: Bool) {
        format = frame.format
        colorSpace = frame.colorSpace
        orientation = frame.orientation
        width = frame.width
        height = frame.height
        self.interlaced = interlaced
        let given = frame.pixelAspectRatio
        let sane = given.isFinite && given > 0 ? min(max(given, 0.125), 8) : 1
        let aspect = orientation.swapsAxes ? 1 / sane : sane
        unitX = max(aspect, 1)
        unitY = max(1 / aspect, 1)
    }
}

extension Canvas {
    var uprightWidth: Int { orientation.swapsAxes ? height : width }
    var uprightHeight: Int { orientation.swapsAxes ? width : height }

    /// The side of a square of the same area in display units. Automatic sizes are proportional to it.
    var scale: Double {
        (Double(uprightWidth) * unitX * Double(uprightHeight) * unitY).squareRoot()
    }

    /// Drawing starts and ends on multiples of this in the buffer, so that a line covers a shared chroma sample
    /// completely or not at all. It is the same for all formats so that their output agrees.
    private var alignment: (x: Int, y: Int) { (2, interlaced ? 4 : 2) }

    /// The alignment in the upright grid. The sides of tiles are multiples of it.
    var step: (x: Int, y: Int) { orientation.swapsAxes ? (alignment.y, alignment.x) : alignment }

    /// The part of the upright grid that may be drawn on: all of it except an odd column or row at the end.
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

    /// Returns the aligned rectangle nearest to an upright box, inside ``region`` and never empty.
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

    /// Returns the size of the tile that holds a drawing of the given size, in upright pixels.
    func tileSize(width: Double, height: Double) -> (width: Int, height: Int) {
        func up(_ value: Double, _ step: Int) -> Int { max(step, (Int(value.rounded(.up)) + step - 1) / step * step) }
        return (up(min(width, 65536), step.x), up(min(height, 65536), step.y))
    }
}
