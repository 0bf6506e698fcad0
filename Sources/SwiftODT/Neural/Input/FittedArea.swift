/// The area of a network's input that the picture covers, in whole input pixels.
struct FittedArea: Hashable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
}

extension NetworkInput {
    /// Returns the area of the input that an upright picture of the given size covers.
    ///
    /// The rounding matches the families' reference implementations: `letterboxTopLeft` rounds down, and
    /// `letterboxCentered` rounds to the nearest pixel.
    func area(width pictureWidth: Double, height pictureHeight: Double) -> FittedArea {
        let ratio = min(Double(width) / pictureWidth, Double(height) / pictureHeight)
        switch fit {
        case .stretch:
            return FittedArea(x: 0, y: 0, width: width, height: height)
        case .letterboxTopLeft:
            // The small addend compensates for rounding errors in the ratio.
            return FittedArea(
                x: 0, y: 0, width: min(width, max(1, Int(pictureWidth * ratio + 5e-7))),
                height: min(height, max(1, Int(pictureHeight * ratio + 5e-7))))
        case .letterboxCentered:
            let fittedWidth = min(width, max(1, Int((pictureWidth * ratio).rounded())))
            let fittedHeight = min(height, max(1, Int((pictureHeight * ratio).rounded())))
            return FittedArea(
                x: (width - fittedWidth) / 2, y: (height - fittedHeight) / 2, width: fittedWidth, height: fittedHeight)
        }
    }

    /// The grey level outside the area that the picture covers, 0 to 255.
    var fillLevel: UInt8 {
        switch fit {
        case .stretch: 0
        case .letterboxTopLeft(let fill), .letterboxCentered(let fill): fill
        }
    }
}
