import CGStreamer
import SwiftODT

extension GstVideoFrame {
    /// Returns whether all planes lie within the mapped memory. GStreamer does not validate the offsets and strides of
    /// a `GstVideoMeta`.
    func holds(_ frame: Frame) -> Bool {
        withUnsafeBytes(of: map) { maps in
            let maps = maps.bindMemory(to: GstMapInfo.self)
            return (0..<frame.format.planeCount).allSatisfy { index in
                // Without a `GstVideoMeta` all planes share one block of memory.
                let map = maps[meta == nil ? 0 : index]
                guard let start = map.data.map(UnsafeRawPointer.init) else { return false }
                let plane = frame.plane(index)
                let extent = frame.format.extent(ofPlane: index, width: frame.width, height: frame.height)
                let first = UnsafeRawPointer(plane.base) - start
                let last = first + (extent.rows - 1) * plane.stride
                return min(first, last) >= 0 && max(first, last) + extent.rowBytes <= Int(map.size)
            }
        }
    }
}
