import SwiftODT

/// A small drawing, converted to the samples of one pixel format. It can be blended with many frames.
///
/// The type is a class, because ``OverlayRectangles`` uses the identity of a tile as a key.
final class Tile: Sendable {
    struct Plane: Sendable {
        let units: Int
        let lines: Int
        /// The samples of the drawing, followed by one weight for each of them. Blending multiplies the destination
        /// sample by the weight and adds the drawing's sample. See ``BlendRow``.
        let bytes: [UInt8]
    }

    let planes: [Plane]
    /// The size of the drawing in pixels of the upright grid.
    let width: Int
    let height: Int

    init(planes: [Plane], width: Int, height: Int) {
        self.planes = planes
        self.width = width
        self.height = height
    }

    var byteCount: Int { planes.reduce(0) { $0 + $1.bytes.count } }
}

extension Tile.Plane {
    /// Creates a plane for a drawing of this size in buffer pixels. The plane is transparent at first.
    ///
    /// - Parameter fill: writes the source samples to `value`, and the weights of the destination to `keep`.
    init<Sample: BlendSample>(
        of layout: PlaneLayout, width: Int, height: Int, white: Sample,
        fill: (_ value: UnsafeMutablePointer<Sample>, _ keep: UnsafeMutablePointer<Sample>) -> Void
    ) {
        units = layout.units(across: width)
        lines = layout.lines(down: height)
        let half = units * lines * layout.unitSamples
        let size = 2 * half * MemoryLayout<Sample>.size
        bytes = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            let samples = UnsafeMutableRawBufferPointer(bytes).bindMemory(to: Sample.self)
            samples[..<half].initialize(repeating: 0)
            samples[half...].initialize(repeating: white)
            if let value = samples.baseAddress { fill(value, value + half) }
            count = size
        }
    }
}

extension Blender {
    /// Converts a drawing on the upright grid to a tile. The drawing is rotated to the orientation of the buffer. The
    /// pixels that a sample covers are averaged and converted to the pixel format.
    func tile(from surface: CairoSurface<UInt32>) -> Tile {
        tile(from: surface, width: surface.width, height: surface.height, orientation: canvas.orientation)
    }

    /// Converts the upper left part of a surface to a tile. `width` and `height`, the size of this part in pixels, must
    /// be multiples of the canvas's step.
    func tile(from surface: CairoSurface<UInt32>, width: Int, height: Int, orientation: Orientation) -> Tile {
        var converted: [Tile.Plane] = []
        surface.withPixels { pixels, stride in
            converted = convert(
                BufferView(pixels, stride: stride, width: width, height: height, orientation: orientation))
        }
        return Tile(planes: converted, width: width, height: height)
    }

    /// Converts the pixels of a view to the planes of a tile. No pixel outside the view is read, however small the view
    /// is.
    func convert(_ view: BufferView<UInt32>) -> [Tile.Plane] {
        planes.map { layout in
            canvas.format.depth.bytes == 1
                ? convert(view, to: layout, as: UInt8.self) : convert(view, to: layout, as: UInt16.self)
        }
    }

    private func convert<Sample: BlendSample>(
        _ view: BufferView<UInt32>, to layout: PlaneLayout, as: Sample.Type
    ) -> Tile.Plane {
        let white = Sample(truncatingIfNeeded: canvas.format.depth.white)
        return Tile.Plane(of: layout, width: view.width, height: view.height, white: white) { value, keep in
            for sample in layout.samples {
                // The arguments are literals, so that the compiler can remove the branches that do not apply.
                switch (sample.pixels, layout.lineShift) {
                case (1, 0): convert(view, layout, sample, PixelShare(pixels: 1, rows: 1), value, keep)
                case (2, 1): convert(view, layout, sample, PixelShare(pixels: 2, rows: 2), value, keep)
                default:
                    let share = PixelShare(pixels: sample.pixels, rows: 1 << layout.lineShift)
                    convert(view, layout, sample, share, value, keep)
                }
            }
        }
    }

    /// Writes one sample of each unit (see ``PlaneLayout``) of a plane.
    @inline(__always)
    private func convert<Sample: BlendSample>(
        _ view: BufferView<UInt32>, _ layout: PlaneLayout, _ sample: PlaneLayout.Sample, _ share: PixelShare,
        _ value: UnsafeMutablePointer<Sample>, _ keep: UnsafeMutablePointer<Sample>
    ) {
        let units = layout.units(across: view.width)
        let wholeUnits = view.width >> layout.unitShift
        let step = view.stepX << layout.unitShift
        let white = Sample(truncatingIfNeeded: canvas.format.depth.white)
        ConvertedColors<Sample>.with { colors in
            for line in 0..<layout.lines(down: view.height) {
                let rows = pixelRows(of: line, in: layout)
                let upper = view.row(rows.0) + sample.firstPixel * view.stepX
                let lower = share.rows > 1 ? view.row(rows.1) + sample.firstPixel * view.stepX : upper
                var place = line * units * layout.unitSamples + sample.place
                var pixel = 0
                var next = view.stepX
                var last = ChannelSum.none
                var color: (value: Sample, keep: Sample) = (0, 0)
                for unit in 0..<units {
                    if unit == wholeUnits {
                        // If the width is odd, the last unit has only one column of pixels. This column also replaces
                        // the missing second column.
                        pixel = (view.width - 1 - sample.firstPixel) * view.stepX
                        next = 0
                    }
                    let sum = view.sum(upper + pixel, lower + pixel, next, share)
                    // Neighbouring samples of a label often have the same colour, so the latest result is reused.
                    if sum != last {
                        last = sum
                        color = colors.converted(sum) {
                            let mean = sum.mean(share)
                            return BlendRow.samples(
                                Sample.self, white, component: sample.component,
                                color: matrix.samples(red: mean.x, green: mean.y, blue: mean.z, alpha: mean.w))
                        }
                    }
                    value[place] = color.value
                    keep[place] = color.keep
                    place &+= layout.unitSamples
                    pixel &+= step
                }
            }
        }
    }
}

extension BufferView<UInt32> {
    /// Returns the sum of the pixels that a sample covers. If the sample covers only one row, the lower row is ignored.
    ///
    /// - Parameter next: The distance from the first to the second pixel of a row.
    @inline(__always)
    fileprivate func sum(
        _ upper: UnsafePointer<UInt32>, _ lower: UnsafePointer<UInt32>, _ next: Int, _ share: PixelShare
    ) -> ChannelSum {
        var sum = ChannelSum()
        sum.add(upper[0])
        if share.rows > 1 { sum.add(lower[0]) }
        if share.pixels > 1 {
            sum.add(upper[next])
            if share.rows > 1 { sum.add(lower[next]) }
        }
        return sum
    }
}

/// The sums of alpha, green, red and blue over up to four pixels, with 16 bits each.
private struct ChannelSum: Equatable {
    /// A value that differs from every sum of pixels. It marks an empty entry or a missing previous sum.
    static let none = ChannelSum(lanes: .max)

    private(set) var lanes: UInt64 = 0

    @inline(__always)
    mutating func add(_ argb: UInt32) {
        lanes &+= UInt64(argb & 0x00FF_00FF) | UInt64(argb & 0xFF00_FF00) &<< 24
    }

    /// Returns the means of red, green, blue and alpha, 0 to 1. The colours are premultiplied with alpha.
    func mean(_ share: PixelShare) -> SIMD4<Float> {
        let sum = SIMD4(lanes &>> 16, lanes &>> 32, lanes, lanes &>> 48) & 0xFFFF
        let weight = 1 / (255 * Float(share.pixels * share.rows))
        return SIMD4<Float>(SIMD4<UInt32>(truncatingIfNeeded: sum)) * weight
    }
}

/// A direct-mapped cache of converted colours. Most drawings have few distinct colours: two colours, and mixtures of
/// the two at the edges of letters.
private struct ConvertedColors<Sample: BlendSample>: ~Copyable {
    private struct Entry {
        var sum: ChannelSum
        var color: (value: Sample, keep: Sample)
    }

    private static var places: Int { 256 }

    private let entries: UnsafeMutableBufferPointer<Entry>

    /// Calls `body` with an empty cache, which exists only during the call.
    static func with(_ body: (borrowing Self) -> Void) {
        withUnsafeTemporaryAllocation(of: Entry.self, capacity: places) { entries in
            entries.initialize(repeating: Entry(sum: .none, color: (0, 0)))
            body(Self(entries: entries))
        }
    }

    @inline(__always)
    func converted(_ sum: ChannelSum, convert: () -> (value: Sample, keep: Sample)) -> (value: Sample, keep: Sample) {
        let place = Int(truncatingIfNeeded: (sum.lanes &* 0x9E37_79B9_7F4A_7C15) &>> 56)
        if entries[place].sum != sum { entries[place] = Entry(sum: sum, color: convert()) }
        return entries[place].color
    }
}

/// Keeps tiles from frame to frame. If there are more than 8 MiB or 512 tiles, those that the latest two frames did not
/// use are removed.
struct TileCache {
    enum Key: Hashable {
        case label(LabelStyle)
        case corner(RoundedCorner)
    }

    private struct Entry {
        let tile: Tile
        var used: UInt64
    }

    private struct Place: Hashable {
        let key: Key
        let interlaced: Bool
    }

    /// Whether the tiles are for interlaced frames, see ``Blender/interlaced``. Tiles for progressive and for interlaced
    /// frames are kept side by side.
    var interlaced = false
    private var entries: [Place: Entry] = [:]
    private var bytes = 0
    private var clock: UInt64 = 0
    private let byteLimit: Int

    init(byteLimit: Int = 8 << 20) {
        self.byteLimit = byteLimit
    }

    var count: Int { entries.count }

    /// Returns the tile for a key. If the tile is not cached, it is drawn and added to the cache. Returns `nil` if
    /// drawing fails.
    mutating func tile(_ key: Key, draw: () -> Tile?) -> Tile? {
        let place = Place(key: key, interlaced: interlaced)
        if let entry = entries[place] {
            entries[place]?.used = clock
            return entry.tile
        }
        guard let tile = draw() else { return nil }
        bytes += tile.byteCount
        entries[place] = Entry(tile: tile, used: clock)
        return tile
    }

    /// Begins the drawing of a frame. If the cache is too large, removes the tiles that the latest two frames did not use:
    /// a frame uses its tiles in the same order as the frame before it, so any other rule could remove each tile just
    /// before it is used.
    mutating func beginFrame() {
        if bytes > byteLimit || entries.count > 512 {
            entries = entries.filter { $0.value.used + 1 >= clock }
            bytes = entries.values.reduce(0) { $0 + $1.tile.byteCount }
        }
        clock += 1
    }

    mutating func removeAll() {
        entries.removeAll()
        bytes = 0
    }

}

/// A view of an upright drawing that addresses the pixels in the orientation of the buffer.
struct BufferView<Pixel> {
    let width: Int
    let height: Int
    private let origin: UnsafePointer<Pixel>
    /// The step in memory from a pixel to the next pixel of the same row of the view, in pixels. It is not 1 if the
    /// view is rotated or mirrored.
    let stepX: Int
    private let stepY: Int

    init(_ pixels: UnsafePointer<Pixel>, stride: Int, width: Int, height: Int, orientation: Orientation) {
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

    /// - Parameter y: The number of a row. For rows below the picture the last row is returned, because a line of
    ///   chroma samples may cover a second row that does not exist.
    func row(_ y: Int) -> UnsafePointer<Pixel> { origin + min(y, height - 1) * stepY }
}

/// The number of pixels that a sample covers horizontally and vertically, 1 or 2 each.
struct PixelShare {
    let pixels: Int
    let rows: Int
}
