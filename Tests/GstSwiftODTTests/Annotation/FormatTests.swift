import CODTGStreamer
import CSwiftODTElement
import Foundation
import GstFrames
import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that drawing leaves all other pixels bit-identical and looks the same in every pixel format.
@Suite struct FormatTests {
    private static let translucent = PixelFormat.allCases.filter { $0.layout.alpha != nil }
    private static let sizes = [(1, 1), (2, 2), (17, 13), (97, 61), (120, 90), (641, 21)]

    /// Objects of each kind, also at the edges and beyond. Labels do not overlap the lines of other objects: for
    /// overlapping translucent shapes, blending averages differs from averaging blended pixels.
    private static func objects(_ width: Int, _ height: Int) -> [AnnotatedObject] {
        let (w, h) = (Double(width), Double(height))
        return [
            .init(
                id: 1, box: Box(x: 0.1 * w, y: 0.3 * h, width: 0.33 * w, height: 0.5 * h), label: "person",
                score: 0.87, prominent: true),
            .init(id: 2, box: Box(x: 0.55 * w, y: -0.1 * h, width: 0.3 * w, height: 0.35 * h), label: "dog"),
            .init(id: 3, box: Box(x: 0.71 * w, y: 0.8 * h, width: 0.5 * w, height: 0.7 * h), coasting: true),
        ]
    }

    private static func options(_ style: AnnotatorOptions.BoxStyle) -> AnnotatorOptions {
        var options = AnnotatorOptions()
        options.boxStyle = style
        options.fontSize = 11
        options.drawTraces = true
        return options
    }

    /// Draws two frames, the first to create traces. The second is tested.
    private static func draw(
        _ options: AnnotatorOptions, on picture: FormatPicture, orientation: Orientation = .identity,
        prominent: Bool = true, interlaced: Bool = false
    ) {
        let annotator = Annotator()
        let before = FormatPicture(picture.format, width: picture.width, height: picture.height)
        before.fill(grey: 0)
        var objects = objects(picture.width, picture.height)
        objects[0].prominent = prominent
        let moved = objects.map { object in
            var object = object
            object.box = object.box.offset(x: -0.05 * Double(picture.width), y: 0.07 * Double(picture.height))
            return object
        }
        before.withFrame(orientation: orientation, time: 0) {
            annotator.draw(moved, options: options, into: $0, interlaced: interlaced)
        }
        picture.withFrame(orientation: orientation, time: 100_000_000) {
            annotator.draw(objects, options: options, into: $0, interlaced: interlaced)
        }
    }

    /// Returns the pixels that drawing changes, on a black or on a white background.
    private static func drawnPixels(
        _ width: Int, _ height: Int, _ options: AnnotatorOptions, orientation: Orientation, interlaced: Bool
    ) -> [Bool] {
        var drawn = [Bool](repeating: false, count: width * height)
        for grey: UInt8 in [0, 255] {
            let picture = FormatPicture(.gray8, width: width, height: height)
            picture.fill(grey: grey)
            draw(options, on: picture, orientation: orientation, interlaced: interlaced)
            let bytes = picture.bytes
            for y in 0..<height {
                for x in 0..<width where bytes[picture.index(PixelFormat.gray8.components.first, x, y)] != grey {
                    drawn[y * width + x] = true
                }
            }
        }
        return drawn
    }

    @Test(arguments: PixelFormat.allCases)
    func drawingLeavesOtherPixelsUnchanged(_ format: PixelFormat) {
        // Each format is tested with three of the sizes, and each size with formats of all kinds.
        for (number, (width, height)) in Self.sizes.enumerated() where number % 2 == format.rawValue % 2 {
            let style = AnnotatorOptions.BoxStyle.allCases[number % 4]
            let orientation = Orientation.allCases[(number * 3) % 8]
            let interlaced = number > 2
            let options = Self.options(style)
            let drawn = Self.drawnPixels(
                width, height, options, orientation: orientation, interlaced: interlaced)
            let picture = FormatPicture(format, width: width, height: height, padding: 12)
            picture.fillWithNoise()
            let before = picture.bytes
            Self.draw(options, on: picture, orientation: orientation, interlaced: interlaced)
            let after = picture.bytes

            // The bytes of drawn pixels, including the chroma that they share with other pixels.
            var allowed = [Bool](repeating: false, count: before.count)
            let components = [format.components.first, format.components.second, format.components.third]
            for y in 0..<height {
                for x in 0..<width where drawn[y * width + x] {
                    for component in components {
                        let row = interlaced && component.shiftY > 0 ? 2 * (y / 4 * 2 + y % 2) : y
                        guard row < height else { continue }
                        let first = picture.index(component, x, row)
                        for byte in first..<first + format.depth.bytes { allowed[byte] = true }
                    }
                }
            }
            let changed = before.indices.filter { before[$0] != after[$0] }
            #expect(!changed.isEmpty, "\(format) \(width)x\(height)")
            #expect(changed.filter { !allowed[$0] } == [], "\(format) \(width)x\(height) \(style) \(orientation)")
        }
    }

    @Test(arguments: PixelFormat.allCases)
    func drawingNothingLeavesFrameUnchanged(_ format: PixelFormat) {
        let picture = FormatPicture(format, width: 64, height: 48, padding: 8)
        picture.fillWithNoise(opaque: false)
        let before = picture.bytes
        let annotator = Annotator()
        let outside = AnnotatedObject(id: 1, box: Box(x: 70, y: 0, width: 20, height: 20), label: "outside")
        let nowhere = AnnotatedObject(id: 2, box: Box(x: .nan, y: 0, width: 20, height: 20), label: "nowhere")
        let empty = AnnotatedObject(id: 3, box: Box(x: 10, y: 10, width: 0, height: 20), label: "empty")
        for objects in [[], [outside], [nowhere, empty]] {
            #expect(
                !annotator.needsDrawing(objects, options: AnnotatorOptions(), width: 64, height: 48, time: 0))
            picture.withFrame { annotator.draw(objects, options: AnnotatorOptions(), into: $0) }
            #expect(picture.bytes == before)
        }
    }

    @Test func boxesOnGreyFramesAreWhiteUnlessColourIsFixed() {
        var options = AnnotatorOptions()
        #expect(options.adapted(to: .gray8).boxColor == 0xFFFF_FFFF)
        #expect(options.adapted(to: .gray8).colorMode == .fixed)
        #expect(options.adapted(to: .bgrx).colorMode == .trackingID)
        options.colorMode = .fixed
        #expect(options.adapted(to: .gray8).boxColor == options.boxColor)
    }

    /// Compares the drawing in each format with the drawing in RGB: per pixel, or per group of pixels that share
    /// chroma.
    @Test(arguments: PixelFormat.allCases)
    func drawnPixelsMatchRGBInEveryFormat(_ format: PixelFormat) throws {
        let spaces: [ColorSpace] =
            format.isYUV
            ? [.standardDefinition, .highDefinition, .init(matrix: .bt709, fullRange: true)] : [.standardDefinition]
        for (number, space) in spaces.enumerated() {
            for interlaced in format.components.second.shiftY > 0 ? [false, true] : [false] {
                let (width, height) = (136, 72)
                var options = Self.options(AnnotatorOptions.BoxStyle.allCases[(number + (interlaced ? 2 : 0)) % 4])
                // Lines of whole groups of pixels, because a chroma sample at the edge of a line is blended by half.
                options.lineWidth = 4
                if format.isGray { options.colorMode = .fixed }
                let picture = FormatPicture(
                    format, width: width, height: height, colorSpace: space)
                let reference = FormatPicture(.bgrx, width: width, height: height)
                for each in [picture, reference] {
                    each.fill(grey: 128)
                    Self.draw(options, on: each, prominent: false, interlaced: interlaced)
                }
                let found = try #require(picture.convertedByGStreamer(asFields: interlaced))
                let wanted = reference.bytes
                let difference = Self.greatestDifference(
                    found, wanted, width: width, height: height, format: format, interlaced: interlaced)
                #expect(difference <= 8, "\(format) \(space) \(options.boxStyle) interlaced: \(interlaced)")
            }
        }
    }

    /// In a stream with the interlace mode `mixed`, progressive and interlaced frames differ only in chroma.
    @Test func drawingsKeepTheirPlacesInMixedStream() {
        let (width, height) = (136, 72)
        let zone = Zone("yard", .area, [.init(0.1, 0.1), .init(0.9, 0.2), .init(0.5, 0.9)])
        var options = Self.options(.rounded)
        options.drawTraces = false
        func drawn(by annotator: Annotator, interlaced: Bool) -> [UInt8] {
            let picture = FormatPicture(.i420, width: width, height: height)
            picture.fill(grey: 128)
            picture.withFrame {
                annotator.draw(
                    Self.objects(width, height), zones: [AnnotatedZone(zone, count: nil)], options: options, into: $0,
                    interlaced: interlaced, mayInterlace: true)
            }
            return picture.bytes
        }
        let alternating = Annotator()
        let fresh = [false, true].map { drawn(by: Annotator(), interlaced: $0) }
        #expect(fresh[0] != fresh[1])
        #expect(fresh[0].prefix(width * height) == fresh[1].prefix(width * height))
        // Tiles whose chroma is for the other kind of frames are not reused.
        for number in 0..<4 {
            #expect(drawn(by: alternating, interlaced: number % 2 == 1) == fresh[number % 2])
        }
    }

    /// Returns the largest difference between the means of groups of pixels that share chroma; of luma for grey
    /// formats.
    private static func greatestDifference(
        _ found: [UInt8], _ wanted: [UInt8], width: Int, height: Int, format: PixelFormat, interlaced: Bool
    ) -> Double {
        let chroma = format.components.second
        var greatest = 0.0
        for line in 0..<(height >> chroma.shiftY) {
            let first = chroma.shiftY == 0 ? line : interlaced ? line / 2 * 4 + line % 2 : 2 * line
            let rows = chroma.shiftY == 0 ? [line] : [first, first + (interlaced ? 2 : 1)]
            for column in stride(from: 0, to: width, by: 1 << chroma.shiftX) {
                let pixels = rows.flatMap { y in
                    (column..<(column + 1 << chroma.shiftX)).map { (y * width + $0) * 4 }
                }
                func mean(_ bytes: [UInt8], _ channel: Int) -> Double {
                    pixels.reduce(0) { $0 + Double(bytes[$1 + channel]) } / Double(pixels.count)
                }
                // The converter clips colours outside the RGB gamut, which changes the mean of the group.
                let isClipped = pixels.contains { pixel in
                    (0..<3).contains { found[pixel + $0] == 0 || found[pixel + $0] == 255 }
                }
                if isClipped && pixels.count > 1 { continue }
                if format.isGray {
                    let luma = 0.114 * mean(wanted, 0) + 0.587 * mean(wanted, 1) + 0.299 * mean(wanted, 2)
                    greatest = max(greatest, abs(mean(found, 0) - luma))
                } else {
                    for channel in 0..<3 {
                        greatest = max(greatest, abs(mean(found, channel) - mean(wanted, channel)))
                    }
                }
            }
        }
        return greatest
    }

    /// Tests that white is graphics white as in BT.2408: 58 % of the PQ signal, 75 % of the HLG signal. Black is
    /// unchanged, and colours match GStreamer's transfer functions.
    @Test(arguments: [PixelFormat.y444p10, .y444p12, .gbrp10, .y444, .bgra64])
    func hdrWhiteIsGraphicsWhite(_ format: PixelFormat) {
        for (transfer, share) in [(ColorSpace.Transfer.pq, 0.5807), (.hlg, 0.75)] {
            let space = ColorSpace(matrix: .bt2020, fullRange: true, transfer: transfer)
            let matrix = ComponentMatrix(format: format, colorSpace: space)
            let white = Float(format.depth.white)
            let drawn = matrix.samples(red: 1, green: 1, blue: 1, alpha: 1)
            #expect(abs(drawn[0] / white - Float(share)) < 0.003)
            // A premultiplied colour has the same colour.
            let half = matrix.samples(red: 0.5, green: 0.5, blue: 0.5, alpha: 0.5)
            #expect(abs(half[0] * 2 - drawn[0]) < white / 1000)
            #expect(matrix.samples(red: 0, green: 0, blue: 0, alpha: 1)[0] < 0.5)
            #expect(matrix.samples(red: 0, green: 0, blue: 0, alpha: 0) == .zero)
        }
        // GStreamer's PQ is relative to 10,000 cd/m².
        for light in [0.01, 0.2, 1, 5] as [Float] {
            let signal = ColorSpace.Transfer.pq.signals(SIMD3(repeating: light)).x
            let reference = gst_video_transfer_function_encode(
                GST_VIDEO_TRANSFER_SMPTE2084, Double(light) * 203 / 10000)
            #expect(abs(Double(signal) - reference) < 0.001)
        }
        // GStreamer's HLG is scene-referred: for grey, the light of the display without the system gamma.
        for light in [0.01, 0.2, 1, 4] as [Float] {
            let signal = ColorSpace.Transfer.hlg.signals(SIMD3(repeating: light)).x
            let scene = pow(Double(light) * 203 / 1000, 1 / 1.2)
            let reference = gst_video_transfer_function_encode(GST_VIDEO_TRANSFER_ARIB_STD_B67, scene)
            #expect(abs(Double(signal) - reference) < 0.001)
        }
    }

    @Test(arguments: translucent)
    func alphaStaysInRange(_ format: PixelFormat) throws {
        let component = try #require(format.layout.alpha)
        let white = format.depth.white
        var options = Self.options(.filled)
        options.drawTraces = false
        for alpha: UInt8 in [255, 0, 100] {
            let picture = FormatPicture(format, width: 96, height: 64)
            picture.fill(grey: 90)
            picture.setAlpha(alpha)
            Self.draw(options, on: picture)
            let alphas = (0..<96 * 64).map { picture.sample(component, $0 % 96, $0 / 96) }
            let before = Int(alpha) * white / 255
            #expect(alphas.allSatisfy { $0 >= before })
            #expect(alphas.contains(white) && alphas.contains(before))
            if alpha == 0 {
                // A translucent fill over transparent pixels has its own colour, unaffected by theirs.
                let pure = Palette.distinct(1)
                let matrix = ComponentMatrix(format: format, colorSpace: picture.colorSpace)
                let wanted = matrix.samples(red: pure.red, green: pure.green, blue: pure.blue, alpha: 1)
                let painted = picture.sample(format.components.second, 24, 44)
                #expect(abs(Float(painted) - wanted[1]) <= 4 * Float(white) / 255)
            }
        }
    }

    /// Compares the table of formats with GStreamer: planes, offsets, steps, subsampling, bit depth and shift. For a
    /// few formats GStreamer's table differs from its own converter; the comparison of colours covers those.
    @Test(arguments: PixelFormat.allCases)
    func formatTableMatchesGStreamer(_ format: PixelFormat) throws {
        let info = try #require(gst_video_format_get_info(format.gstreamer)).pointee
        let layout = format.layout
        func value<Number: BinaryInteger, Array>(_ array: Array, _ index: Int, _: Number.Type) -> Int {
            withUnsafeBytes(of: array) { Int($0.bindMemory(to: Number.self)[index]) }
        }
        #expect(Int(info.n_planes) == layout.planeCount)
        func says(_ flag: GstVideoFormatFlags) -> Bool { info.flags.rawValue & flag.rawValue != 0 }
        #expect(says(GST_VIDEO_FORMAT_FLAG_YUV) == format.isYUV)
        #expect(says(GST_VIDEO_FORMAT_FLAG_RGB) == format.isRGB)
        #expect(says(GST_VIDEO_FORMAT_FLAG_ALPHA) == (layout.alpha != nil))
        let isMisdescribed = [.p010, .p012, .p016, .vyuy, .y210, .y212].contains(format)
        let components = [layout.components.first, layout.components.second, layout.components.third, layout.alpha]
        for index in 0..<Int(info.n_components) {
            let component = try #require(components[index])
            #expect(value(info.plane, index, UInt32.self) == component.plane)
            if !isMisdescribed {
                #expect(value(info.poffset, index, UInt32.self) == component.offset * layout.depth.bytes)
                #expect(value(info.shift, index, UInt32.self) == layout.depth.shift)
            }
            #expect(value(info.pixel_stride, index, Int32.self) == component.step * layout.depth.bytes)
            #expect(value(info.w_sub, index, UInt32.self) == component.shiftX)
            #expect(value(info.h_sub, index, UInt32.self) == component.shiftY)
            #expect(value(info.depth, index, UInt32.self) == layout.depth.bits)
        }
    }

    /// Tests that the pad templates list exactly the supported formats.
    @Test func padTemplatesListEveryFormat() throws {
        gst_init(nil, nil)
        _ = swiftodt_register_linked_element()
        let element = try #require(gst_element_factory_make("swiftodt", nil))
        defer { gst_object_unref(element) }
        for name in ["sink", "src"] {
            let template = try #require(gst_element_get_pad_template(element, name))
            let caps = try #require(gst_pad_template_get_caps(template))
            defer { gst_mini_object_unref(UnsafeMutableRawPointer(caps).assumingMemoryBound(to: GstMiniObject.self)) }
            let list = gst_structure_get_value(gst_caps_get_structure(caps, 0), "format")
            let named = (0..<gst_value_list_get_size(list)).map { index in
                gst_video_format_from_string(g_value_get_string(gst_value_list_get_value(list, index)))
            }
            #expect(named.count == PixelFormat.allCases.count)
            for format in PixelFormat.allCases { #expect(named.contains(format.gstreamer), "\(format)") }
            #expect(named.allSatisfy { PixelFormat($0) != nil })
        }
    }
}
