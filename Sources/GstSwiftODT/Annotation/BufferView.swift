import SwiftODT

/// Pixels that were drawn upright, as the buffer will have them.
struct BufferView<Pixel> {
    let width: Int
    let height: Int
    private let origin: UnsafePointer<Pixel>
    /// From a pixel to the next one.
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

    /// - Parameter y: rows below the picture are its last one: a line of chroma may belong to two rows of which there is only one.
    func row(_ y: Int) -> UnsafePointer<Pixel> { origin + min(y, height - 1) * stepY }
}

/// How many pixels a sample stands for, across and down: one or two.
struct PixelShare {
    let pixels: Int
    let rows: Int
}
