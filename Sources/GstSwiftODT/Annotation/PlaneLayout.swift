import SwiftODT

/// The layout of one plane of a pixel format: *units* of samples that repeat along a row.
///
/// A unit is the smallest independent group of samples: one luma sample, the four samples of two YUY2 pixels, or the U
/// and V samples of four NV12 pixels.
struct PlaneLayout {
    struct Sample {
        /// The sample's index in the unit.
        let place: Int
        /// 0 to 2 as in ``SwiftODT/PixelComponents``, 3 for alpha.
        let component: Int
        /// The first pixel of the unit that the sample covers, and the number of pixels across.
        let firstPixel: Int
        let pixels: Int
    }

    let plane: Int
    let unitSamples: Int
    /// log2 of the number of pixels across a unit.
    let unitShift: Int
    /// log2 of the number of pixel rows per line of samples.
    let lineShift: Int
    let samples: [Sample]

    func units(across pixels: Int) -> Int { (pixels + (1 << unitShift) - 1) >> unitShift }

    func lines(down pixels: Int) -> Int { (pixels + (1 << lineShift) - 1) >> lineShift }

    /// Returns the units that overlap the given columns of pixels.
    func units(from left: Int, to right: Int) -> Range<Int> { (left >> unitShift)..<units(across: right) }

    static func planes(of format: PixelFormat) -> [PlaneLayout] {
        let described = format.components
        var components = [(0, described.first), (1, described.second), (2, described.third)]
        if format.isGray { components.removeLast(2) }
        return (0..<format.planeCount).map { plane in
            let here = components.filter { $0.1.plane == plane }
            let unitShift = here.map(\.1.shiftX).max() ?? 0
            var samples = here.flatMap { index, component in
                (0..<(1 << (unitShift - component.shiftX))).map { number in
                    Sample(
                        place: component.offset + number * component.step, component: index,
                        firstPixel: number << component.shiftX, pixels: 1 << component.shiftX)
                }
            }
            if let alpha = format.layout.alpha {
                samples.append(Sample(place: alpha.offset, component: 3, firstPixel: 0, pixels: 1))
            }
            let unitSamples = here.map { $0.1.step << (unitShift - $0.1.shiftX) }.max() ?? 1
            return PlaneLayout(
                plane: plane, unitSamples: unitSamples, unitShift: unitShift, lineShift: here.first?.1.shiftY ?? 0,
                samples: samples)
        }
    }
}
