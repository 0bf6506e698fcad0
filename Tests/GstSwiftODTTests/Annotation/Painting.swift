import CODTCairo
import SwiftODT

/// A BGRx frame in the memory of a Cairo surface, for drawing and comparing.
final class Painting {
    let width: Int
    let height: Int
    private let surface: OpaquePointer

    /// Creates a picture of one colour.
    init(width: Int, height: Int, background: UInt32 = 0x6080_8890) {
        self.width = width
        self.height = height
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
        let context = cairo_create(surface)
        let channels = [16, 8, 0].map { Double((background >> $0) & 255) / 255 }
        cairo_set_source_rgb(context, channels[0], channels[1], channels[2])
        cairo_paint(context)
        cairo_destroy(context)
        cairo_surface_flush(surface)
    }

    /// Reads a PNG file. Returns `nil` if there is none.
    init?(png path: String) {
        guard let loaded = cairo_image_surface_create_from_png(path),
            cairo_surface_status(loaded) == CAIRO_STATUS_SUCCESS
        else { return nil }
        defer { cairo_surface_destroy(loaded) }
        width = Int(cairo_image_surface_get_width(loaded))
        height = Int(cairo_image_surface_get_height(loaded))
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
        let context = cairo_create(surface)
        cairo_set_source_surface(context, loaded, 0, 0)
        cairo_paint(context)
        cairo_destroy(context)
        cairo_surface_flush(surface)
    }

    deinit { cairo_surface_destroy(surface) }

    private var stride: Int { Int(cairo_image_surface_get_stride(surface)) }

    /// All pixels, row by row.
    var pixels: [UInt32] { (0..<width * height).map { self[$0 % width, $0 / width] } }

    subscript(x: Int, y: Int) -> UInt32 {
        get { pixel(x, y).pointee & 0xFF_FFFF }
        set { pixel(x, y).pointee = newValue }
    }

    private func pixel(_ x: Int, _ y: Int) -> UnsafeMutablePointer<UInt32> {
        let row = cairo_image_surface_get_data(surface)! + y * stride
        return UnsafeMutableRawPointer(row).assumingMemoryBound(to: UInt32.self) + x
    }

    /// Calls `body` with a frame that is valid during the call.
    @discardableResult
    func withFrame<Answer>(
        orientation: Orientation = .identity, pixelAspectRatio: Double = 1, time: Nanoseconds = 0,
        _ body: (Frame) -> Answer
    ) -> Answer {
        withExtendedLifetime(self) {
            body(
                Frame(
                    format: .bgrx, width: width, height: height,
                    planes: [.init(base: cairo_image_surface_get_data(surface), stride: stride)],
                    orientation: orientation, pixelAspectRatio: pixelAspectRatio, time: time))
        }
    }

    /// Returns the picture as a viewer sees it.
    func turned(_ orientation: Orientation) -> Painting {
        let swaps = orientation.swapsAxes
        let turned = Painting(width: swaps ? height : width, height: swaps ? width : height)
        for y in 0..<height {
            for x in 0..<width {
                let place = orientation.upright(
                    Box(x: Double(x), y: Double(y), width: 1, height: 1), bufferWidth: Double(width),
                    bufferHeight: Double(height))
                turned[Int(place.x), Int(place.y)] = self[x, y]
            }
        }
        return turned
    }

    @discardableResult
    func write(_ path: String) -> Bool {
        cairo_surface_mark_dirty(surface)
        return cairo_surface_write_to_png(surface, path) == CAIRO_STATUS_SUCCESS
    }
}
