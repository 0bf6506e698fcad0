import SwiftODT

/// The layout of one plane of a pixel format, as *units* of samples that repeat along a line of samples.
///
/// A unit is the smallest group of samples that share no pixel with other groups. Examples are one luma sample, the
/// four samples of two YUY2 pixels, and the U and V samples that two NV12 pixels of a row share.
struct PlaneLayout {
    struct Sample {
        /// The index of the sample in the unit.
        let place: Int
        /// The component of the sample: 0 to 2 as in ``SwiftODT/PixelComponents``, 3 for alpha.
        let component: Int
        /// The index, within the unit, of the first pixel that the sample covers.
        let firstPixel: Int
        /// The number of pixels in a row that the sample covers.
        let pixels: Int
    }

    let plane: Int
    /// The number of samples in a unit, including unused ones.
    let unitSamples: Int
    /// The binary logarithm of the number of pixels in a row that a unit covers.
    let unitShift: Int
    /// The binary logarithm of the number of pixel rows that a line of samples covers.
    let lineShift: Int
    let samples: [Sample]

    func units(across pixels: Int) -> Int { (pixels + (1 << unitShift) - 1) >> unitShift }

    func lines(down pixels: Int) -> Int { (pixels + (1 << lineShift) - 1) >> lineShift }

    /// Returns the units that overlap the columns of pixels from `left` to `right`.
    func units(from left: Int, to right: Int) -> Range<Int> { (left >> unitShift)..<units(across: right) }

    static func planes(of format: PixelFormat) -> [PlaneLayout] {
        (0..<format.planeCount).map { plane in
            let here = format.layout.stored.enumerated().filter { $0.element.plane == plane }
            let unitShift = here.map { $0.element.shiftX }.max() ?? 0
            let samples = here.flatMap { index, component in
                (0..<(1 << (unitShift - component.shiftX))).map { number in
                    Sample(
                        place: component.offset + number * component.step, component: index,
                        firstPixel: number << component.shiftX, pixels: 1 << component.shiftX)
                }
            }
            let unitSamples = here.map { $0.element.step << (unitShift - $0.element.shiftX) }.max() ?? 1
            return PlaneLayout(
                plane: plane, unitSamples: unitSamples, unitShift: unitShift,
                lineShift: here.first?.element.shiftY ?? 0, samples: samples)
        }
    }
}
