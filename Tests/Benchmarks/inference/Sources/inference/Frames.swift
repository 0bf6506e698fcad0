import SwiftODT

/// Returns a frame of smooth noise in any format. Its memory is never freed.
func makeFrame(_ format: PixelFormat, width: Int, height: Int, orientation: Orientation = .identity) -> Frame {
    let components = [format.components.first, format.components.second, format.components.third]
    var state: UInt32 = 1
    let planes = (0..<format.planeCount).map { plane in
        let own = components.filter { $0.plane == plane }
        let stride = (own.map { ((width + 1) >> $0.shiftX) * $0.step }.max() ?? 1) * format.depth.bytes + 8
        let bytes = stride * (own.map { (height + 1) >> $0.shiftY }.max() ?? 1)
        let base = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes)
        for offset in 0..<bytes {
            state = state &* 1_664_525 &+ 1_013_904_223
            base[offset] = UInt8(truncatingIfNeeded: 64 &+ (offset &* 3) % 128 &+ Int(state >> 28))
        }
        return Frame.Plane(base: UnsafeMutableRawPointer(base), stride: stride)
    }
    return Frame(format: format, width: width, height: height, planes: planes, orientation: orientation)
}
