import SwiftODT

/// A small drawing in the samples of one format, ready to be laid over frames again and again.
struct Tile {
    struct Plane {
        let units: Int
        let lines: Int
        /// All new samples, then as many that say what to keep. See ``BlendRow``.
        let bytes: [UInt8]
    }

    let planes: [Plane]
    /// In pixels as it was drawn.
    let width: Int
    let height: Int

    var byteCount: Int { planes.reduce(0) { $0 + $1.bytes.count } }
}

extension Blender {
    /// Converts what has been drawn on the upright grid: turns it the way the buffer lies, gives every sample the
    /// mean of the pixels that it stands for, and its format's numbers.
    func tile(from surface: CairoSurface) -> Tile {
        tile(from: surface, width: surface.width, height: surface.height, orientation: canvas.orientation)
    }

    /// The same for the upper left part of a surface, in whole steps of the canvas, turned some other way.
    func tile(from surface: CairoSurface, width: Int, height: Int, orientation: Orientation) -> Tile {
        var converted: [Tile.Plane] = []
        surface.withPixels { pixels, stride in
            let view = BufferView(pixels, stride: stride, width: width, height: height, orientation: orientation)
            converted = planes.map { layout in
                canvas.format.depth.bytes == 1
                    ? convert(view, to: layout, as: UInt8.self) : convert(view, to: layout, as: UInt16.self)
            }
        }
        return Tile(planes: converted, width: width, height: height)
    }

    private func convert<Sample: BlendSample>(
        _ view: BufferView, to layout: PlaneLayout, as: Sample.Type
    ) -> Tile.Plane {
        let units = layout.units(across: view.width)
        let lines = view.height >> layout.lineShift
        let half = units * lines * layout.unitSamples
        let white = Sample(truncatingIfNeeded: canvas.format.depth.white)
        let size = 2 * half * MemoryLayout<Sample>.size
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            let samples = UnsafeMutableRawBufferPointer(bytes).bindMemory(to: Sample.self)
            samples.initialize(repeating: 0)
            for index in half..<(2 * half) { samples[index] = white }
            for line in 0..<lines {
                let (upper, lower) = pixelRows(of: line, in: layout)
                for sample in layout.samples {
                    var index = line * units * layout.unitSamples + sample.place
                    // Most of a label is one colour: the last one converted is likely to be wanted again.
                    var (value, keep) = (Sample.zero, white)
                    var known: UInt32? = 0
                    for unit in 0..<units {
                        let x = unit << layout.unitShift + sample.firstPixel
                        let only = view.uniform(x: x, pixels: sample.pixels, upper: upper, lower: lower)
                        if only == nil || only != known {
                            let mean = view.mean(x: x, pixels: sample.pixels, upper: upper, lower: lower)
                            let color = matrix.samples(red: mean.x, green: mean.y, blue: mean.z, alpha: mean.w)
                            (value, keep) = BlendRow.samples(
                                Sample.self, white, component: sample.component, color: color)
                            known = only
                        }
                        samples[index] = value
                        samples[half + index] = keep
                        index += layout.unitSamples
                    }
                }
            }
            count = size
        }
        return Tile.Plane(units: units, lines: lines, bytes: bytes)
    }
}

/// Upright pixels as the buffer will have them.
private struct BufferView {
    let width: Int
    let height: Int
    private let origin: UnsafePointer<UInt32>
    private let stepX: Int
    private let stepY: Int

    init(_ pixels: UnsafePointer<UInt32>, stride: Int, width: Int, height: Int, orientation: Orientation) {
        let turned = orientation.swapsAxes
        self.width = turned ? height : width
        self.height = turned ? width : height
        let size = (Double(self.width), Double(self.height))
        func offset(_ x: Double, _ y: Double) -> Int {
            let pixel = orientation.upright(
                Box(x: x, y: y, width: 1, height: 1), bufferWidth: size.0, bufferHeight: size.1)
            return Int(pixel.y) * stride + Int(pixel.x)
        }
        let first = offset(0, 0)
        origin = pixels + first
        stepX = offset(1, 0) - first
        stepY = offset(0, 1) - first
    }

    /// The pixel, if all of them are the same.
    @inline(__always)
    func uniform(x: Int, pixels: Int, upper: Int, lower: Int) -> UInt32? {
        let first = origin[x * stepX + upper * stepY]
        if lower != upper, first != origin[x * stepX + lower * stepY] { return nil }
        guard pixels > 1 else { return first }
        if first != origin[(x + 1) * stepX + upper * stepY] { return nil }
        if lower != upper, first != origin[(x + 1) * stepX + lower * stepY] { return nil }
        return first
    }

    /// Red, green, blue and alpha, 0...1 and multiplied with alpha, of one, two or four pixels together.
    @inline(__always)
    func mean(x: Int, pixels: Int, upper: Int, lower: Int) -> SIMD4<Float> {
        var sum = SIMD4<UInt32>.zero
        for column in x..<(x + pixels) {
            sum &+= channels(column, upper)
            if lower != upper { sum &+= channels(column, lower) }
        }
        let weight = 1 / (255 * Float(lower != upper ? 2 * pixels : pixels))
        return SIMD4<Float>(sum) * weight
    }

    @inline(__always)
    private func channels(_ x: Int, _ y: Int) -> SIMD4<UInt32> {
        let argb = origin[x * stepX + y * stepY]
        return SIMD4((argb >> 16) & 255, (argb >> 8) & 255, argb & 255, argb >> 24)
    }
}
