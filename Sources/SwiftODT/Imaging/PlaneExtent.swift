/// The size of the picture data in one plane.
public struct PlaneExtent: Sendable {
    /// Bytes per row, without padding.
    public let rowBytes: Int
    public let rows: Int
}

extension PixelFormat {
    /// Returns the size of one plane of a picture with the given dimensions.
    public func extent(ofPlane plane: Int, width: Int, height: Int) -> PlaneExtent {
        let components = components
        var rowBytes = 0
        var rows = 0
        for component in [components.first, components.second, components.third] where component.plane == plane {
            let across = (width + (1 << component.shiftX) - 1) >> component.shiftX
            let down = (height + (1 << component.shiftY) - 1) >> component.shiftY
            rowBytes = max(rowBytes, across * component.step * depth.bytes)
            rows = max(rows, down)
        }
        return PlaneExtent(rowBytes: rowBytes, rows: rows)
    }
}
