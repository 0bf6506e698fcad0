import SwiftODT

extension Blender {
    /// Converts a drawing in one colour on another, as letters on a panel are: each pixel is `ground` where the mask is empty, that with
    /// `ink` over it where the mask is full, and some of either between.
    ///
    /// The two colours are converted, and samples are mixed of them, many at a time: a fraction of what it costs to convert pixels.
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
                // As literals: what is usual becomes vector instructions.
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

    /// All of one sample in the units of a plane.
    ///
    /// - Parameter steps: from a pixel of the mask to the next one, from those of a unit to those of the next one, and from a unit's
    ///   sample to the next one's.
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
    /// The mean of all of the pixels that a sample stands for.
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

/// What lies between two samples, each a value and what it keeps of the sample below.
private struct Mixture<Sample: BlendSample> {
    private typealias Product = Sample.Product

    let white: Sample
    let empty: (value: Sample, keep: Sample)
    let full: (value: Sample, keep: Sample)

    /// As ``BlendRow/samples(_:_:component:color:)`` has them: what is kept and alpha make up white, and a value never exceeds its alpha.
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
