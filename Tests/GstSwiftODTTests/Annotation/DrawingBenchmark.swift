import CODTCairo
import CODTGStreamer
import Foundation
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Measures the cost of drawing compared with converting the frame for Cairo and back. Run by
/// `Tests/Benchmarks/drawing/run`; disabled in ordinary test runs.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SWIFTODT_BENCHMARK"] != nil, "a benchmark"))
struct DrawingBenchmark {
    private static let size = (width: 1920, height: 1080)

    /// Five slowly moving boxes with labels.
    private static func objects(_ frame: Int, newText: Bool) -> [AnnotatedObject] {
        let labels = ["person", "bicycle", "car", "traffic light", "dog"]
        return labels.indices.map { index in
            let x = 60 + 360 * index + frame % 30
            let y = 120 + 140 * (index % 3) + frame % 20
            return AnnotatedObject(
                id: index + 1, box: Box(x: Double(x), y: Double(y), width: 300, height: 420),
                label: newText ? "\(labels[index]) \(frame)" : labels[index], score: 0.87, prominent: index == 0)
        }
    }

    /// Prints the median time of a call.
    private static func microseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
        var times: [Double] = []
        for frame in 0..<count {
            let start = ContinuousClock.now
            body(frame)
            let spent = (ContinuousClock.now - start).components
            times.append(Double(spent.attoseconds) / 1e12 + Double(spent.seconds) * 1e6)
        }
        return times.sorted()[count / 2]
    }

    @Test func fiveBoxesWithLabelsOnFullHD() throws {
        let usual = try GstBlendBaseline(width: Self.size.width, height: Self.size.height)
        let picture = FormatPicture(
            .i420, width: Self.size.width, height: Self.size.height, colorSpace: .highDefinition)
        picture.fill(grey: 100)
        let rounds = 5
        for (name, style, newText) in [
            ("rectangle, labels unchanged", AnnotatorOptions.BoxStyle.rectangle, false),
            ("rectangle, all labels new in every frame", .rectangle, true), ("rounded", .rounded, false),
            ("corners", .corners, false), ("filled", .filled, false), ("filled, all labels new", .filled, true),
        ] {
            var options = AnnotatorOptions()
            options.boxStyle = style
            let annotator = Annotator()
            var ratios: [Double] = []
            var (best, bestUsual) = (Double.infinity, Double.infinity)
            for round in 0..<rounds {
                let ours = Self.microseconds(60) { number in
                    let objects = Self.objects(60 * round + number, newText: newText)
                    picture.withFrame { annotator.draw(objects, options: options, into: $0) }
                }
                let theirs = Self.microseconds(8) { number in
                    usual.draw(Self.objects(number, newText: newText), filled: style == .filled)
                }
                ratios.append(ours / theirs)
                (best, bestUsual) = (min(best, ours), min(bestUsual, theirs))
            }
            let ratio = ratios.sorted()[rounds / 2]
            print(
                "drawing: \(name): \(Int(best)) µs, the usual way \(Int(bestUsual)) µs, "
                    + "ratio \(String(format: "%.4f", ratio))")
            #expect(ratio < 0.1, "\(name)")
        }
    }

    /// Compares the blender with `gst_video_blend` on the area of one label, 240x36 pixels.
    @Test func tileDrawingComparedWithGstVideoBlend() throws {
        let usual = try GstBlendBaseline(width: Self.size.width, height: Self.size.height)
        let picture = FormatPicture(.i420, width: Self.size.width, height: Self.size.height)
        picture.fill(grey: 100)
        let surface = try #require(CairoSurface<UInt32>(width: 240, height: 36))
        surface.setPaint(Paint(argb: 0xC080_4020))
        cairo_paint(surface.context)
        let (ours, theirs) = picture.withFrame { frame in
            let blender = Blender(canvas: Canvas(frame, interlaced: false))
            let tile = blender.tile(from: surface)
            let place = PixelRect(x: 600, y: 400, width: 240, height: 36)
            let ours = Self.microseconds(400) { _ in blender.draw(tile, atBuffer: place, in: frame) }
            return (ours, usual.blend(surface, x: 600, y: 400, times: 200))
        }
        print("drawing: one tile: \(ours) µs, gst_video_blend \(theirs) µs")
        #expect(ours < theirs)
    }
}

/// The operations of `videoconvert ! cairooverlay ! videoconvert` on a frame, single-threaded and with reused buffers.
private final class GstBlendBaseline {
    private var video = GstVideoInfo()
    private var canvas = GstVideoInfo()
    private let videoBuffer: UnsafeMutablePointer<GstBuffer>
    private let canvasBuffer: UnsafeMutablePointer<GstBuffer>
    private let there: OpaquePointer
    private let back: OpaquePointer

    init(width: Int, height: Int) throws {
        gst_init(nil, nil)
        gst_video_info_set_format(&video, GST_VIDEO_FORMAT_I420, guint(width), guint(height))
        gst_video_info_set_format(&canvas, GST_VIDEO_FORMAT_BGRx, guint(width), guint(height))
        videoBuffer = try #require(gst_buffer_new_allocate(nil, video.size, nil))
        canvasBuffer = try #require(gst_buffer_new_allocate(nil, canvas.size, nil))
        gst_buffer_memset(videoBuffer, 0, 100, video.size)
        there = try #require(gst_video_converter_new(&video, &canvas, nil))
        back = try #require(gst_video_converter_new(&canvas, &video, nil))
    }

    private func mapped(_ body: (inout GstVideoFrame, inout GstVideoFrame) -> Void) {
        let access = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        var frame = GstVideoFrame()
        var drawing = GstVideoFrame()
        guard gst_video_frame_map(&frame, &video, videoBuffer, access) != 0 else { return }
        defer { gst_video_frame_unmap(&frame) }
        guard gst_video_frame_map(&drawing, &canvas, canvasBuffer, access) != 0 else { return }
        defer { gst_video_frame_unmap(&drawing) }
        body(&frame, &drawing)
    }

    func draw(_ objects: [AnnotatedObject], filled: Bool) {
        mapped { frame, drawing in
            gst_video_converter_frame(there, &frame, &drawing)
            let surface = cairo_image_surface_create_for_data(
                drawing.data.0?.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_RGB24, canvas.width, canvas.height,
                canvas.stride.0)
            let context = cairo_create(surface)
            for object in objects { draw(object, filled: filled, in: context) }
            cairo_destroy(context)
            cairo_surface_destroy(surface)
            gst_video_converter_frame(back, &drawing, &frame)
        }
    }

    private func draw(_ object: AnnotatedObject, filled: Bool, in context: OpaquePointer?) {
        let box = object.box
        cairo_rectangle(context, box.x, box.y, box.width, box.height)
        if filled {
            cairo_set_source_rgba(context, 0.1, 0.8, 0.4, 0.3)
            cairo_fill_preserve(context)
        }
        cairo_set_source_rgb(context, 0.1, 0.8, 0.4)
        cairo_set_line_width(context, 4)
        cairo_stroke(context)
        cairo_rectangle(context, box.x, box.y - 36, 240, 36)
        cairo_fill(context)
        cairo_set_source_rgb(context, 0, 0, 0)
        cairo_select_font_face(context, "Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
        cairo_set_font_size(context, 24)
        cairo_move_to(context, box.x + 10, box.y - 9)
        cairo_show_text(context, "\(object.label) \(Int(object.score * 100))% #\(object.id ?? 0)")
    }

    /// Blends a surface with `gst_video_blend` into a window of the frame, the fastest way to call it.
    func blend(_ surface: CairoSurface<UInt32>, x: Int, y: Int, times: Int) -> Double {
        var times = times
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, GST_VIDEO_FORMAT_BGRA, guint(surface.width), guint(surface.height))
        guard let buffer = gst_buffer_new_allocate(nil, info.size, nil) else { return .nan }
        gst_buffer_memset(buffer, 0, 192, info.size)
        var results: [Double] = []
        mapped { frame, _ in
            var source = GstVideoFrame()
            guard gst_video_frame_map(&source, &info, buffer, GST_MAP_READ) != 0 else { return }
            defer { gst_video_frame_unmap(&source) }
            var window = frame
            window.info.width = Int32(surface.width)
            window.info.height = Int32(surface.height)
            window.data.0 = frame.data.0.map { $0 + y * Int(frame.info.stride.0) + x }
            window.data.1 = frame.data.1.map { $0 + y / 2 * Int(frame.info.stride.1) + x / 2 }
            window.data.2 = frame.data.2.map { $0 + y / 2 * Int(frame.info.stride.2) + x / 2 }
            while times > 0 {
                times -= 1
                let start = ContinuousClock.now
                gst_video_blend(&window, &source, 0, 0, 1)
                results.append(Double((ContinuousClock.now - start).components.attoseconds) / 1e12)
            }
        }
        gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
        return results.isEmpty ? .nan : results.sorted()[results.count / 2]
    }

    deinit {
        gst_video_converter_free(there)
        gst_video_converter_free(back)
        for buffer in [videoBuffer, canvasBuffer] {
            gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
        }
    }
}
