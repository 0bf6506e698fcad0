import SwiftODT

/// How one plane of a format is made of samples: *units* that repeat along a row, and what each sample in them is.
///
/// A unit is the smallest group that stands on its own: a sample of luma, the four of two YUY2 pixels, the U and V of
/// four NV12 ones.
struct PlaneLayout {
    struct Sample {
        /// Its place in the unit.
        let place: Int
        /// 0...2 as in ``SwiftODT/PixelComponents``, 3 for alpha.
        let component: Int
        /// The first of the unit's pixels that it stands for, and how many across.
        let firstPixel: Int
        let pixels: Int
    }

    let plane: Int
    let unitSamples: Int
    /// The pixels across a unit, as a power of two.
    let unitShift: Int
    /// The rows of pixels to a line of samples, as a power of two.
    let lineShift: Int
    let samples: [Sample]

    func units(across pixels: Int) -> Int { (pixels + (1 << unitShift) - 1) >> unitShift }

    func lines(down pixels: Int) -> Int { (pixels + (1 << lineShift) - 1) >> lineShift }

    /// The units that the given columns of pixels touch.
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
