import SwiftODT

/// The brightness of a frame in at most 128 × 128 cells.
struct LumaThumbnail: Equatable {
    /// The brightness of the cells, 0 to 255, row by row.
    let cells: [Float]

    init(_ cells: [Float]) { self.cells = cells }

    init(_ frame: Frame) {
        cells = LumaPlane.reduce(frame, maximumSide: 128).withPixels { $0.map { Float($0) } }
    }

    private var mean: Float { cells.reduce(0, +) / Float(cells.count) }

    /// The standard deviation of the cells.
    var contrast: Float {
        let mean = mean
        return (cells.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(cells.count)).squareRoot()
    }

    /// The normalized cross-correlation with another picture, -1 to 1. It does not depend on brightness and contrast.
    func similarity(to other: LumaThumbnail) -> Float {
        let (mean, otherMean) = (mean, other.mean)
        var (product, square, otherSquare): (Float, Float, Float) = (0, 0, 0)
        for (one, two) in zip(cells, other.cells) {
            product += (one - mean) * (two - otherMean)
            square += (one - mean) * (one - mean)
            otherSquare += (two - otherMean) * (two - otherMean)
        }
        return square > 0 && otherSquare > 0 ? product / (square * otherSquare).squareRoot() : 0
    }

    /// Returns the weighted average with another picture. `part` (0 to 1) is the weight of the other picture.
    func blended(with other: LumaThumbnail, part: Float) -> LumaThumbnail {
        LumaThumbnail(zip(cells, other.cells).map { $0 + ($1 - $0) * part })
    }
}
