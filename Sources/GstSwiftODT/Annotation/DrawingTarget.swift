import GstFrames
import SwiftODT

/// What the annotator draws on: a mapped frame, or the rectangles of an overlay composition.
enum DrawingTarget {
    case frame(Frame)
    case overlay(OverlayRectangles)
}

extension Blender {
    /// Fills a rectangle of the upright grid.
    func fill(_ rect: PixelRect, with paint: Paint, on target: DrawingTarget) {
        switch target {
        case .frame(let frame): fill(rect, with: paint, in: frame)
        case .overlay(let overlay):
            let picture = PixelRect(x: 0, y: 0, width: canvas.width, height: canvas.height)
            overlay.fill(canvas.buffer(rect).intersection(picture), with: color(of: paint))
        }
    }

    /// Draws a tile at an aligned position of the buffer.
    func draw(_ tile: Tile, atBuffer place: PixelRect, on target: DrawingTarget) {
        switch target {
        case .frame(let frame): draw(tile, atBuffer: place, in: frame)
        case .overlay(let overlay): overlay.draw(tile, x: place.x, y: place.y)
        }
    }
}

extension Canvas {
    /// Creates the canvas of an overlay: the frame's geometry in the pixel format of overlay rectangles. Tiles
    /// drawn for this canvas are BGRA with premultiplied alpha.
    init(overlayOn format: StreamFormat, orientation: Orientation, interlaced: Bool) {
        self.init(
            format: .bgra, colorSpace: ColorSpace(matrix: .bt709, fullRange: true, transfer: .gamma),
            orientation: orientation, width: format.width, height: format.height, interlaced: interlaced,
            pixelAspectRatio: format.pixelAspectRatio)
    }
}
