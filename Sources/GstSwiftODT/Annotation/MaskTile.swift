import SwiftODT

extension Blender {
    /// Converts a drawing in two colours, such as text on a panel, to a tile. A pixel has the colour `ground` where the
    /// mask is empty, `ink` over `ground` where the mask is full, and a mixture in between.
    ///
    /// Only the two colours are converted to the pixel format. The samples are interpolated between the two with vector
    /// instructions, which is much faster than converting each pixel.
    func tile(from mask: CairoSurface<UInt8>, ground: Paint, ink: Paint) -> Tile {
        let empty = color(of: ground)
        let full = color(of: ink) + empty * (1 - ink.opacity)
        var mixed: [Tile.Plane] = []
        mask.withPixels { pixels, stride in
            let view = BufferView(
                pixels, stride: stride, width: mask.width, height: mask.height, orientation: canvas.orientation)
            mixed = planes.map { layout in
                canvas.format.depth.bytes == 1
                    ? mix(view, empty, full, in: layout, as: UInt8.self)
                    : mix(view, empty, full, in: layout, as: UInt16.self)
            }
        }
        return Tile(planes: mixed, width: mask.width, height: mask.height)
    }

    private func mix<Sample: BlendSample>(
        _ view: BufferView<UInt8>, _ empty: SIMD4<Float>, _ full: SIMD4<Float>, in layout: PlaneLayout, as: Sample.Type
    ) -> Tile.Plane {
        let white = Sample(truncatingIfNeeded: canvas.format.depth.white)
        return Tile.Plane(of: layout, width: view.width, height: view.height, white: white) { value, keep in
            for sample in layout.samples {
                let mixture = Mixture(
                    white: white,
                    empty: BlendRow.samples(Sample.self, white, component: sample.component, color: empty),
                    full: BlendRow.samples(Sample.self, white, component: sample.component, color: full))
                // The arguments are literals, so that the compiler can vectorise the common cases.
                let isPacked = view.stepX == 1 && layout.unitSamples == 1
                switch (sample.pixels, layout.lineShift, isPacked) {
                case (1, 0, true):
                    mix(view, layout, sample, PixelShare(pixels: 1, rows: 1), (1, 1, 1), mixture, value, keep)
                case (2, 1, true):
                    mix(view, layout, sample, PixelShare(pixels: 2, rows: 2), (1, 2, 1), mixture, value, keep)
                default:
                    let share = PixelShare(pixels: sample.pixels, rows: 1 << layout.lineShift)
                    let steps = (view.stepX, view.stepX << layout.unitShift, layout.unitSamples)
                    mix(view, layout, sample, share, steps, mixture, value, keep)
                }
            }
        }
    }

    /// Writes one sample of each unit (see ``PlaneLayout``) of a plane.
    ///
    /// - Parameter steps: three distances. `pixel` is between neighbouring pixels of the mask, `unit` between the first
    ///   mask pixels of neighbouring units, and `sample` between the plane samples of neighbouring units.
    @inline(__always)
    private func mix<Sample: BlendSample>(
        _ view: BufferView<UInt8>, _ layout: PlaneLayout, _ sample: PlaneLayout.Sample, _ share: PixelShare,
        _ steps: (pixel: Int, unit: Int, sample: Int), _ mixture: Mixture<Sample>,
        _ value: UnsafeMutablePointer<Sample>, _ keep: UnsafeMutablePointer<Sample>
    ) {
        let units = layout.units(across: view.width)
        for line in 0..<layout.lines(down: view.height) {
            let rows = pixelRows(of: line, in: layout)
            let upper = view.row(rows.0) + sample.firstPixel * steps.pixel
            let lower = share.rows > 1 ? view.row(rows.1) + sample.firstPixel * steps.pixel : upper
            let place = line * units * layout.unitSamples + sample.place
            let (value, keep) = (value + place, keep + place)
            var unit = 0
            while unit < units {
                let pixel = unit &* steps.unit
                let coverage = view.mean(upper + pixel, lower + pixel, steps.pixel, share)
                (value[unit &* steps.sample], keep[unit &* steps.sample]) = mixture.samples(coverage)
                unit &+= 1
            }
        }
    }
}

extension BufferView<UInt8> {
    /// Returns the mean coverage of all mask pixels that belong to one sample.
    @inline(__always)
    fileprivate func mean(
        _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, _ step: Int, _ share: PixelShare
    ) -> UInt8 {
        if share.pixels == 1 && share.rows == 1 { return upper[0] }
        var sum = UInt16(upper[0])
        if share.rows > 1 { sum &+= UInt16(lower[0]) }
        if share.pixels > 1 {
            sum &+= UInt16(upper[step])
            if share.rows > 1 { sum &+= UInt16(lower[step]) }
        }
        let count = UInt16(truncatingIfNeeded: share.pixels &* share.rows)
        return UInt8(truncatingIfNeeded: (sum &+ count / 2) / count)
    }
}

/// Interpolates between two blend samples. A blend sample has a `value`, which is added, and `keep`, the weight of the
/// destination (see ``BlendRow``).
private struct Mixture<Sample: BlendSample> {
    private typealias Product = Sample.Product

    let white: Sample
    let empty: (value: Sample, keep: Sample)
    let full: (value: Sample, keep: Sample)

    /// Returns the sample for a coverage, from 0 (``empty``) to 255 (``full``). It fulfils the invariants of
    /// ``BlendRow/samples(_:_:component:color:)``: `keep` and alpha add up to the maximum sample, and the value never
    /// exceeds alpha.
    @inline(__always)
    func samples(_ coverage: UInt8) -> (value: Sample, keep: Sample) {
        let keep = mix(empty.keep, full.keep, coverage)
        return (min(mix(empty.value, full.value, coverage), white &- keep), keep)
    }

    @inline(__always)
    private func mix(_ empty: Sample, _ full: Sample, _ coverage: UInt8) -> Sample {
        let part = Product(truncatingIfNeeded: coverage)
        let sum = Product(truncatingIfNeeded: empty) &* (255 &- part) &+ Product(truncatingIfNeeded: full) &* part
        return Sample(truncatingIfNeeded: (sum &+ 127) / 255)
    }
}
