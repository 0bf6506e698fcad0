import SwiftODT

/// A view of pixels that were drawn upright, addressed in the orientation of the buffer.
struct BufferView<Pixel> {
    let width: Int
    let height: Int
    private let origin: UnsafePointer<Pixel>
    /// The distance between neighbouring pixels of a row.
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

    /// - Parameter y: a row number; rows below the picture return the last row, because a chroma line may cover a
    ///   second row that does not exist.
    func row(_ y: Int) -> UnsafePointer<Pixel> { origin + min(y, height - 1) * stepY }
}

/// The number of pixels that a sample covers horizontally and vertically, 1 or 2 each.
struct PixelShare {
    let pixels: Int
    let rows: Int
}
