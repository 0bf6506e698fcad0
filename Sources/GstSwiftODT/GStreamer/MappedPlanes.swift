import CGStreamer
import SwiftODT

extension GstVideoFrame {
    /// Whether the planes lie within the memory that was mapped for them. A GstVideoMeta may say anything of offsets and strides,
    /// and GStreamer believes it.
    func holds(_ frame: Frame) -> Bool {
        withUnsafeBytes(of: map) { maps in
            let maps = maps.bindMemory(to: GstMapInfo.self)
            return (0..<frame.format.planeCount).allSatisfy { index in
                // Without a meta all planes lie in one piece of memory.
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
