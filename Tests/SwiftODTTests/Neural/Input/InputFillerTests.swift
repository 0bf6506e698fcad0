import Foundation
import Testing

@testable import SwiftODT

/// Compares network inputs of every format, orientation and fit with a reference in double precision. The reference is
/// computed per pixel from the definition (half-pixel centres, bilinear, colour matrix) and shares no code with the
/// filler.
@Suite struct InputFillerTests {
    /// Returns the reference's red, green and blue levels at an input pixel of the fitted area.
    private static func reference(
        _ picture: PackedPicture, frame: Frame, region: (x: Range<Int>, y: Range<Int>), area: FittedArea, x: Int, y: Int
    ) -> [Double] {
        let (w, h) = (Double(region.x.count), Double(region.y.count))
        let (uprightWidth, uprightHeight) = frame.orientation.swapsAxes ? (h, w) : (w, h)
        let point = Box(
            x: (Double(x - area.x) + 0.5) / Double(area.width) * uprightWidth,
            y: (Double(y - area.y) + 0.5) / Double(area.height) * uprightHeight, width: 0, height: 0)
        let at = frame.orientation.buffer(point, bufferWidth: w, bufferHeight: h)
            .offset(x: Double(region.x.lowerBound), y: Double(region.y.lowerBound))
        let c = (0..<3).map { picture.component($0, x: at.x, y: at.y, region: region) }
        let depth = frame.format.depth
        let (white, level) = (Double(depth.white), Double(1 << (depth.bits - 8)))
        guard frame.format.isYUV else { return c.map { shown($0 / white, frame.colorSpace.transfer) * 255 } }
        let (kr, kb) = (Double(frame.colorSpace.lumaWeights.red), Double(frame.colorSpace.lumaWeights.blue))
        let full = frame.colorSpace.fullRange
        let luma = full ? c[0] / white : (c[0] / level - 16) / 219
        let (pb, pr) = (
            (c[1] - 128 * level) / (full ? white : 224 * level), (c[2] - 128 * level) / (full ? white : 224 * level)
        )
        let red = luma + 2 * (1 - kr) * pr
        let blue = luma + 2 * (1 - kb) * pb
        let green = (luma - kr * red - kb * blue) / (1 - kr - kb)
        return [red, green, blue].map { shown(min(max($0, 0), 1), frame.colorSpace.transfer) * 255 }
    }

    /// Converts an HDR signal to the display signal of a standard screen, with the formulas of BT.2100 and the tone
    /// map.
    private static func shown(_ signal: Double, _ transfer: ColorSpace.Transfer) -> Double {
        let light: Double
        switch transfer {
        case .gamma: return signal
        case .pq:
            let root = pow(signal, 4096 / 2523 / 128)
            let (c1, c2, c3) = (0.8359375, 18.8515625, 18.6875)
            light = 10000 * pow(max(root - c1, 0) / (c2 - c3 * root), 16384 / 2610)
        case .hlg:
            let scene =
                signal <= 0.5 ? signal * signal / 3 : (exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12
            light = 1000 * pow(scene, 1.2)
        }
        let level = pow(light / 203, 1 / 2.4)
        return level <= 0.75 ? level : 0.75 + 0.25 * (1 - 1 / (1 + (level - 0.75) / 0.25))
    }

    /// Returns the largest difference in grey levels between the tensor and the reference, including the background.
    private static func worst(
        _ picture: PackedPicture, frame: Frame, input: NetworkInput, region: Box? = nil, bytes: Bool = false
    ) throws -> Double {
        let plane = input.width * input.height
        let tensor = UnsafeMutableRawPointer.allocate(byteCount: 3 * plane * (bytes ? 1 : 4), alignment: 64)
        defer { tensor.deallocate() }
        let filler = InputFiller(input: input, bytes: bytes)
        let placement = try filler.fill(tensor, from: frame, region: region)
        _ = try filler.fill(tensor, from: frame, region: region)

        let range = (
            x: Int(placement.region.minX)..<Int(placement.region.maxX),
            y: Int(placement.region.minY)..<Int(placement.region.maxY)
        )
        let upright = frame.orientation.swapsAxes ? (range.y.count, range.x.count) : (range.x.count, range.y.count)
        let area = FittedArea(
            x: Int(placement.offsetX), y: Int(placement.offsetY),
            width: Int((placement.scaleX * Double(upright.0)).rounded()),
            height: Int((placement.scaleY * Double(upright.1)).rounded()))
        var worst = 0.0
        for y in 0..<input.height {
            for x in 0..<input.width {
                let inside = x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height
                let expected =
                    inside
                    ? reference(picture, frame: frame, region: range, area: area, x: x, y: y)
                    : [Double](repeating: Double(input.fillLevel), count: 3)
                for channel in 0..<3 {
                    let slot =
                        input.layout == .spaceToDepth
                        ? ((y % 2 + x % 2 * 2) * 3 + channel) * plane / 4 + y / 2 * (input.width / 2) + x / 2
                        : channel * plane + y * input.width + x
                    let stored =
                        bytes
                        ? Double(tensor.load(fromByteOffset: slot, as: UInt8.self))
                        : Double(tensor.load(fromByteOffset: slot * 4, as: Float.self))
                    let level = stored / Double(input.scale[channel]) + Double(input.mean[channel])
                    worst = max(worst, abs(level - expected[input.channelOrder == .bgr ? 2 - channel : channel]))
                }
            }
        }
        return worst
    }

    private static func noise(_ format: PixelFormat, width: Int, height: Int) -> PackedPicture {
        var noise = Noise(state: UInt64(format.rawValue * 7919 + width * 31 + height))
        return PackedPicture(
            format, width: width, height: height, word: { _, _, _ in .random(in: 0...65535, using: &noise) })
    }

    @Test(arguments: PixelFormat.allCases)
    func everyFormatAndOrientationIsWithinOneLevel(_ format: PixelFormat) throws {
        let picture = Self.noise(format, width: 37, height: 23)
        for orientation in Orientation.allCases {
            let frame = picture.frame(orientation: orientation)
            let input = NetworkInput(width: 19, height: 22, fit: .stretch)
            #expect(try Self.worst(picture, frame: frame, input: input) < 0.5, "\(orientation)")
            #expect(try Self.worst(picture, frame: frame, input: input, bytes: true) <= 1, "\(orientation)")
        }
    }

    @Test(arguments: [PixelFormat.i420, .nv12, .yuy2, .uyvy, .rgb, .bgrx, .gray8, .p010, .gbrp10])
    func fitsLayoutsAndNormalisationAreWithinOneLevel(_ format: PixelFormat) throws {
        let picture = Self.noise(format, width: 50, height: 31)
        let fits: [NetworkInput.Fit] = [.stretch, .letterboxTopLeft(fill: 114), .letterboxCentered(fill: 7)]
        for (number, fit) in fits.enumerated() {
            let input = NetworkInput(
                width: 33, height: 40, channelOrder: number == 1 ? .bgr : .rgb, mean: SIMD3(123.7, 116.3, 103.5),
                scale: SIMD3(1 / 58.4, -1 / 57.1, 0.02), fit: fit)
            for orientation in [Orientation.identity, .rotate90, .transverse] {
                let frame = picture.frame(orientation: orientation)
                #expect(try Self.worst(picture, frame: frame, input: input) < 0.5)
            }
        }
    }

    @Test(arguments: Orientation.allCases)
    func spaceToDepthKeepsPixelOrder(_ orientation: Orientation) throws {
        let picture = Self.noise(.nv12, width: 50, height: 31)
        for fit in [NetworkInput.Fit.stretch, .letterboxTopLeft(fill: 114), .letterboxCentered(fill: 7)] {
            let input = NetworkInput(width: 38, height: 40, layout: .spaceToDepth, fit: fit)
            let frame = picture.frame(orientation: orientation)
            #expect(try Self.worst(picture, frame: frame, input: input) < 0.5)
            #expect(try Self.worst(picture, frame: frame, input: input, bytes: true) <= 1)
        }
    }

    @Test(arguments: [ColorSpace.Matrix.bt601, .bt709, .bt2020, .smpte240m, .fcc])
    func streamMatrixAndRangeAreUsed(_ matrix: ColorSpace.Matrix) throws {
        for format in [PixelFormat.y444, .y444p10, .y444p16, .p012] {
            let picture = Self.noise(format, width: 16, height: 16)
            for fullRange in [false, true] {
                let frame = picture.frame(colorSpace: ColorSpace(matrix: matrix, fullRange: fullRange))
                #expect(try Self.worst(picture, frame: frame, input: NetworkInput(width: 16, height: 16)) < 0.5)
            }
        }
    }

    /// Networks are trained with SDR pictures, and unconverted HDR code values have too little contrast for them.
    @Test(arguments: [ColorSpace.Transfer.pq, .hlg])
    func hdrIsToneMapped(_ transfer: ColorSpace.Transfer) throws {
        for format in [PixelFormat.p010, .y444p12, .y444, .gbrp10, .gray16] {
            let picture = Self.noise(format, width: 37, height: 23)
            for fullRange in [false, true] {
                let space = ColorSpace(matrix: .bt2020, fullRange: fullRange, transfer: transfer)
                let frame = picture.frame(orientation: fullRange ? .rotate90 : .identity, colorSpace: space)
                let input = NetworkInput(
                    width: 33, height: 40, channelOrder: .bgr, mean: SIMD3(123.7, 116.3, 103.5),
                    scale: SIMD3(1 / 58.4, -1 / 57.1, 0.02), fit: .letterboxTopLeft(fill: 114))
                #expect(try Self.worst(picture, frame: frame, input: input) < 0.75, "\(format)")
                #expect(
                    try Self.worst(picture, frame: frame, input: NetworkInput(width: 19, height: 22), bytes: true)
                        <= 1.25)
            }
        }
    }

    /// White, middle grey and black of an SDR picture that was converted to HDR by BT.2408 return to about their old
    /// levels.
    @Test func hdrGraphicsWhiteIsNearlyWhite() throws {
        func seen(_ signal: Double, _ transfer: ColorSpace.Transfer) throws -> Float {
            let picture = PackedPicture(.gray16, width: 4, height: 4, word: { _, _, _ in UInt16(signal * 65535) })
            let tensor = UnsafeMutablePointer<Float>.allocate(capacity: 3 * 16)
            defer { tensor.deallocate() }
            let space = ColorSpace(matrix: .bt2020, fullRange: true, transfer: transfer)
            _ = try InputFiller(input: NetworkInput(width: 4, height: 4), bytes: false)
                .fill(tensor, from: picture.frame(colorSpace: space), region: nil)
            return withExtendedLifetime(picture) { tensor[0] }
        }
        // BT.2408: graphics white (203 cd/m²) is 58 % of PQ and 75 % of HLG; 18 % grey (26 cd/m²) is 38 % of both.
        for (transfer, white, grey) in [(ColorSpace.Transfer.pq, 0.58, 0.38), (.hlg, 0.75, 0.38)] {
            #expect(abs(try seen(white, transfer) - 223) < 2)
            #expect(abs(try seen(grey, transfer) - 108) < 4)
            #expect(try seen(0, transfer) == 0)
            #expect((236...255).contains(try seen(1, transfer)))
        }
    }

    @Test(arguments: [(1, 1), (2, 1), (1, 3), (3, 2), (640, 2), (5, 333)])
    func extremeSizesAreWithinOneLevel(_ width: Int, _ height: Int) throws {
        for format in PixelFormat.allCases {
            let picture = Self.noise(format, width: width, height: height)
            for input in [NetworkInput(width: 8, height: 9), NetworkInput(width: 1, height: 1)] {
                #expect(try Self.worst(picture, frame: picture.frame(), input: input) < 0.5, "\(format)")
            }
        }
    }

    @Test(arguments: PixelFormat.allCases)
    func regionEqualsCroppedFrame(_ format: PixelFormat) throws {
        let picture = Self.noise(format, width: 41, height: 33)
        for region in [
            Box(x: 7, y: 5, width: 13, height: 11), Box(x: 30.4, y: -8, width: 100, height: 20.2),
            Box(x: 40, y: 32, width: 1, height: 1), Box(x: 11.5, y: 9.5, width: 1e-3, height: 1e-3),
        ] {
            for orientation in [Orientation.identity, .rotate270] {
                let frame = picture.frame(orientation: orientation)
                #expect(
                    try Self.worst(picture, frame: frame, input: NetworkInput(width: 9, height: 10), region: region)
                        < 0.5)
            }
        }
    }

    @Test func regionOutsidePictureIsRejected() {
        let picture = Self.noise(.gray8, width: 8, height: 8)
        for region in [
            Box(x: 8, y: 0, width: 4, height: 4), Box(x: 0, y: 0, width: -1, height: 4),
            Box(x: .nan, y: 0, width: 4, height: 4), Box(x: 0, y: 0, width: .infinity, height: 4),
        ] {
            #expect(throws: ODTError.self) {
                try Self.worst(
                    picture, frame: picture.frame(), input: NetworkInput(width: 4, height: 4), region: region)
            }
        }
    }

    /// The runtime would drop fractions and wrap values around when it converts floats to 8-bit integers.
    @Test(arguments: [(TensorElement.int8, -128.0...127), (.uint8, 0...255)])
    func quantisedInputIsRoundedAndLimited(_ element: TensorElement, _ range: ClosedRange<Double>) throws {
        var input = NetworkInput(width: 12, height: 12, fit: .letterboxTopLeft(fill: 255))
        (input.element, input.mean, input.scale) = (element, SIMD3(repeating: 64), SIMD3(repeating: 6))
        let picture = Self.noise(.rgb, width: 30, height: 10)
        var tensors = [[Float]](repeating: [Float](repeating: 0, count: 3 * 144), count: 2)
        for number in 0..<2 {
            if number == 1 { input.element = .float32 }
            let filler = InputFiller(input: input, bytes: false)
            try tensors[number].withUnsafeMutableBytes { tensor in
                _ = try filler.fill(try #require(tensor.baseAddress), from: picture.frame(), region: nil)
            }
        }
        let expected = tensors[1].map { min(max(Double($0).rounded(), range.lowerBound), range.upperBound) }
        #expect(tensors[0].map(Double.init) == expected)
        #expect(expected.contains(range.lowerBound) && expected.contains(range.upperBound))
    }

    @Test func planIsRebuiltWhenFrameChanges() throws {
        let input = NetworkInput(width: 12, height: 12, fit: .letterboxTopLeft(fill: 50))
        let filler = InputFiller(input: input, bytes: false)
        let fresh = InputFiller(input: input, bytes: false)
        let count = 3 * 144
        let kept = UnsafeMutablePointer<Float>.allocate(capacity: count)
        let expected = UnsafeMutablePointer<Float>.allocate(capacity: count)
        defer {
            kept.deallocate()
            expected.deallocate()
        }
        for (format, width, height) in [(PixelFormat.i420, 30, 10), (.rgb, 10, 30), (.i420, 30, 12), (.gray8, 9, 9)] {
            let picture = Self.noise(format, width: width, height: height)
            _ = try withExtendedLifetime(picture) { try filler.fill(kept, from: picture.frame(), region: nil) }
        }
        let picture = Self.noise(.i420, width: 30, height: 10)
        _ = try filler.fill(kept, from: picture.frame(orientation: .rotate90), region: nil)
        _ = try fresh.fill(expected, from: picture.frame(orientation: .rotate90), region: nil)
        withExtendedLifetime(picture) {}
        #expect((0..<count).allSatisfy { kept[$0] == expected[$0] })
    }

    /// Several regions are written to the same tensor one after another; none may leave pixels of the previous one.
    @Test(arguments: [PixelFormat.i420, .nv12, .rgb, .p010])
    func reusedFillerEqualsFreshOne(_ format: PixelFormat) throws {
        let input = NetworkInput(width: 12, height: 12, fit: .letterboxCentered(fill: 50))
        let filler = InputFiller(input: input, bytes: false)
        let count = 3 * 144
        let kept = UnsafeMutablePointer<Float>.allocate(capacity: count)
        let expected = UnsafeMutablePointer<Float>.allocate(capacity: count)
        defer {
            kept.deallocate()
            expected.deallocate()
        }
        let picture = Self.noise(format, width: 60, height: 40)
        try withExtendedLifetime(picture) {
            let frame = picture.frame()
            for part in [
                nil, Box(x: 0, y: 0, width: 20, height: 20), Box(x: 31, y: 7, width: 20, height: 20),
                Box(x: 3, y: 5, width: 30, height: 9), Box(x: 4, y: 1, width: 9, height: 30), nil,
            ] {
                _ = try filler.fill(kept, from: frame, region: part)
                _ = try InputFiller(input: input, bytes: false).fill(expected, from: frame, region: part)
                #expect((0..<count).allSatisfy { kept[$0] == expected[$0] })
            }
        }
    }

    @Test func placementMapsInputBoxToBuffer() throws {
        // The picture is dark except for one bright block, which must be where the placement maps it.
        let block = Box(x: 24, y: 8, width: 8, height: 12)
        let picture = PackedPicture(
            .gray8, width: 64, height: 40,
            sample: { _, x, y in (24..<32).contains(x) && (8..<20).contains(y) ? 255 : 0 })
        defer { withExtendedLifetime(picture) {} }
        for orientation in Orientation.allCases {
            for fit in [NetworkInput.Fit.stretch, .letterboxTopLeft(fill: 0), .letterboxCentered(fill: 0)] {
                let input = NetworkInput(width: 96, height: 80, fit: fit)
                let tensor = UnsafeMutablePointer<Float>.allocate(capacity: 3 * 96 * 80)
                defer { tensor.deallocate() }
                let placement = try InputFiller(input: input, bytes: false)
                    .fill(tensor, from: picture.frame(orientation: orientation), region: nil)
                let bright = (0..<96 * 80).filter { tensor[$0] > 127 }
                let xs = bright.map { $0 % 96 }
                let ys = bright.map { $0 / 96 }
                let seen = Box(
                    minX: Double(xs.min() ?? 0), minY: Double(ys.min() ?? 0), maxX: Double((xs.max() ?? 0) + 1),
                    maxY: Double((ys.max() ?? 0) + 1))
                #expect(placement.buffer(seen).iou(block) > 0.85, "\(orientation) \(fit)")
            }
        }
    }

    @Test func pixelAspectRatioIsCorrected() throws {
        // 720x576 with a pixel aspect ratio of 16:11 is displayed as 16:9.
        let picture = Self.noise(.gray8, width: 720, height: 576)
        let input = NetworkInput(width: 320, height: 320, fit: .letterboxTopLeft(fill: 0))
        let tensor = UnsafeMutablePointer<Float>.allocate(capacity: 3 * 320 * 320)
        defer { tensor.deallocate() }
        let placement = try InputFiller(input: input, bytes: false)
            .fill(tensor, from: picture.frame(pixelAspectRatio: 16.0 / 11), region: nil)
        withExtendedLifetime(picture) {}
        #expect(placement.scaleX * 720 == 320)
        #expect(abs(placement.scaleY * 576 - 176) < 1)
    }

    /// The blend of a black pixel was -1 for a weight near 1, which the next step read as 65535.
    @Test func blendedRowsAreNeverNegative() {
        let samples = (0...UInt8.max).map(\.self)
        var blended = [Int16](repeating: 0, count: samples.count)
        for weight in [Int16(0), 127, 8192, 16255, 16256, 16257, 16300, 16319, 16382, 16383, 16384] {
            for first in samples {
                RowKernels.blend(
                    [UInt8](repeating: first, count: samples.count), samples, weight: weight, count: samples.count,
                    into: &blended)
                let expected = samples.map { second in
                    let difference = Int(second) - Int(first)
                    return max(
                        Int(first) * 64 + (difference * (Int(weight) >> 7)) >> 1
                            + (difference * (Int(weight) & 127)) >> 8, 0)
                }
                #expect(blended.map(Int.init) == expected, "\(first), \(weight)")
            }
        }
    }
}
