import CGStreamer
import SwiftODT

extension GstVideoFrame {
    /// Whether the planes lie within the memory that was mapped for them. A GstVideoMeta may say anything of offsets and strides,
    /// and GStreamer believes it.
    func holds(_ planes: [Frame.Plane], of format: StreamFormat) -> Bool {
        withUnsafeBytes(of: map) { maps in
            let maps = maps.bindMemory(to: GstMapInfo.self)
            return planes.indices.allSatisfy { index in
                // Without a meta all planes lie in one piece of memory.
                let map = maps[meta == nil ? 0 : index]
                guard let start = map.data.map(UnsafeRawPointer.init) else { return false }
                let extent = format.format.extent(
                    ofPlane: index, width: format.width, height: format.height)
                let first = UnsafeRawPointer(planes[index].base) - start
                let last = first + (extent.rows - 1) * planes[index].stride
                return min(first, last) >= 0 && max(first, last) + extent.rowBytes <= Int(map.size)
            }
        }
    }
}
