import CODTGStreamer
import GstFrames
import SwiftODT

/// The drawing of a frame as a `GstVideoOverlayComposition`: pictures that an element downstream blends.
///
/// Unchanged parts are reused from frame to frame, so that a sink does not upload them to the GPU again:
/// - an equal list of rectangles reuses the composition,
/// - an equal rectangle reuses the `GstVideoOverlayRectangle`,
/// - a rectangle that has only moved reuses the pixels.
///
/// Not thread-safe: only the streaming thread uses it.
final class OverlayRectangles {
    /// The content of a rectangle, without its position.
    private enum Content: Hashable {
        case tile(ObjectIdentifier)
        /// A picture of one colour, given as BGRA bytes. `width` and `height` are the size of the picture. The overlay
        /// rectangle may be larger; the picture is then scaled up.
        case fill(UInt32, width: Int, height: Int, isPremultiplied: Bool)
    }

    private struct Key: Hashable {
        let content: Content
        let place: PixelRect
    }

    /// The pictures, rectangles and composition of one frame. `order` is the drawing order.
    private struct FrameDrawing {
        var pixels: [Content: Pixels] = [:]
        var rectangles: [Key: OverlayObject] = [:]
        var order: [Key] = []
        var composition: OverlayObject?
    }

    private var previous = FrameDrawing()
    private var current = FrameDrawing()

    /// If the shorter side of a filled rectangle has at most this many pixels, its picture has the size of the
    /// rectangle. This is the case for lines. The picture of a larger rectangle has 16 x 16 pixels and is scaled up, so
    /// all larger rectangles need the same memory.
    private static let largestExactFill = 32

    func begin() { (previous, current) = (current, FrameDrawing()) }

    /// - Parameter color: premultiplied red, green, blue and alpha, 0 to 255.
    func fill(_ place: PixelRect, with color: SIMD4<Float>) {
        guard !place.isEmpty, color.w > 0 else { return }
        let isScaled = min(place.width, place.height) > Self.largestExactFill
        let (width, height) = isScaled ? (16, 16) : (place.width, place.height)
        // GStreamer's software blender treats scaled pictures as not premultiplied, so their colour is divided by
        // alpha.
        var opaque = color * (255 / color.w)
        opaque.w = 255
        func byte(_ component: Int) -> UInt32 {
            let color = isScaled && component < 3 ? opaque : color
            return UInt32(BlendRow.samples(UInt8.self, 255, component: component, color: color).value)
        }
        // Little-endian: the first byte in memory is blue.
        let bgra = byte(2) | byte(1) << 8 | byte(0) << 16 | byte(3) << 24
        add(.fill(bgra, width: width, height: height, isPremultiplied: !isScaled), at: place) {
            [UInt32](repeating: bgra, count: width * height).withUnsafeBytes {
                Pixels($0, width: width, height: height, isPremultiplied: !isScaled, tile: nil)
            }
        }
    }

    func draw(_ tile: Tile, x: Int, y: Int) {
        guard let plane = tile.planes.first, plane.units > 0, plane.lines > 0 else { return }
        let place = PixelRect(x: x, y: y, width: plane.units, height: plane.lines)
        add(.tile(ObjectIdentifier(tile)), at: place) {
            plane.bytes.withUnsafeBytes { bytes in
                // The first half of a tile's bytes are the samples. The second half are weights of the destination,
                // which a composition does not need.
                Pixels(
                    UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), width: plane.units,
                    height: plane.lines, isPremultiplied: true, tile: tile)
            }
        }
    }

    private func add(_ content: Content, at place: PixelRect, make: () -> Pixels?) {
        guard let pixels = current.pixels[content] ?? previous.pixels[content] ?? make() else { return }
        current.pixels[content] = pixels
        let key = Key(content: content, place: place)
        let rectangle =
            current.rectangles[key] ?? previous.rectangles[key]
            ?? gst_video_overlay_rectangle_new_raw(
                pixels.buffer, gint(place.x), gint(place.y), guint(place.width), guint(place.height), pixels.flags
            ).map(OverlayObject.init)
        guard let rectangle else { return }
        current.rectangles[key] = rectangle
        current.order.append(key)
    }

    /// Attaches the composition of this frame to a writable buffer. Rectangles that upstream elements attached remain
    /// below it.
    func attach(to buffer: UnsafeMutablePointer<GstBuffer>) {
        guard !current.order.isEmpty else { return }
        let composition = previous.order == current.order ? previous.composition : nil
        current.composition = composition ?? Self.composition(of: rectangles)
        let meta = gst_buffer_get_meta(buffer, gst_video_overlay_composition_meta_api_get_type())
        guard let meta else { return add(current.composition, to: buffer) }
        let upstream = UnsafeMutableRawPointer(meta)
            .assumingMemoryBound(to: GstVideoOverlayCompositionMeta.self).pointee.overlay
        let before = (0..<gst_video_overlay_composition_n_rectangles(upstream)).compactMap {
            gst_video_overlay_composition_get_rectangle(upstream, $0)
        }
        let merged = Self.composition(of: before + rectangles)
        gst_buffer_remove_meta(buffer, meta)
        add(merged, to: buffer)
    }

    private var rectangles: [OpaquePointer] { current.order.compactMap { current.rectangles[$0]?.pointer } }

    /// - Parameter rectangles: at least one.
    private static func composition(of rectangles: [OpaquePointer]) -> OverlayObject? {
        guard let pointer = rectangles.first.flatMap(gst_video_overlay_composition_new) else { return nil }
        for rectangle in rectangles.dropFirst() { gst_video_overlay_composition_add_rectangle(pointer, rectangle) }
        return OverlayObject(pointer)
    }

    private func add(_ composition: OverlayObject?, to buffer: UnsafeMutablePointer<GstBuffer>) {
        if let composition { gst_buffer_add_video_overlay_composition_meta(buffer, composition.pointer) }
    }
}

private final class Pixels {
    let buffer: UnsafeMutablePointer<GstBuffer>
    let flags: GstVideoOverlayFormatFlags
    /// Keeps the tile alive, because `Content.tile` identifies it by its address, and a new tile could get the address
    /// of a released one.
    private let tile: Tile?

    /// - Parameter bytes: BGRA without padding.
    /// - Returns: `nil` if no memory is available.
    init?(_ bytes: UnsafeRawBufferPointer, width: Int, height: Int, isPremultiplied: Bool, tile: Tile?) {
        guard let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else { return nil }
        gst_buffer_fill(buffer, 0, bytes.baseAddress, gsize(bytes.count))
        gst_buffer_add_video_meta(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_BGRA, guint(width), guint(height))
        (self.buffer, self.tile) = (buffer, tile)
        flags = isPremultiplied ? GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA : GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE
    }

    deinit { gst_buffer_unref(buffer) }
}

/// An owned `GstVideoOverlayRectangle` or `GstVideoOverlayComposition`.
private final class OverlayObject {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { gst_mini_object_unref(UnsafeMutablePointer<GstMiniObject>(pointer)) }
}

/// What the annotator draws on: a mapped frame, or the rectangles of an overlay composition.
enum DrawingTarget {
    case frame(Frame)
    case overlay(OverlayRectangles)
}

extension Blender {
    /// The rectangle is on the upright grid.
    func fill(_ rect: PixelRect, with paint: Paint, on target: DrawingTarget) {
        switch target {
        case .frame(let frame): fill(rect, with: paint, in: frame)
        case .overlay(let overlay):
            let picture = PixelRect(x: 0, y: 0, width: canvas.width, height: canvas.height)
            overlay.fill(canvas.buffer(rect).intersection(picture), with: color(of: paint))
        }
    }

    /// The position must be aligned.
    func draw(_ tile: Tile, atBuffer place: PixelRect, on target: DrawingTarget) {
        switch target {
        case .frame(let frame): draw(tile, atBuffer: place, in: frame)
        case .overlay(let overlay): overlay.draw(tile, x: place.x, y: place.y)
        }
    }
}

extension Canvas {
    /// Creates the canvas of an overlay. It has the geometry of the frame and the pixel format of overlay rectangles.
    /// Tiles drawn for this canvas are BGRA with premultiplied alpha.
    init(overlayOn format: StreamFormat, orientation: Orientation, interlaced: Bool) {
        self.init(
            format: .bgra, colorSpace: ColorSpace(matrix: .bt709, fullRange: true, transfer: .gamma),
            orientation: orientation, width: format.width, height: format.height, interlaced: interlaced,
            pixelAspectRatio: format.pixelAspectRatio)
    }
}
