import CGStreamer
import SwiftODT

/// Reads and removes `GstVideoRegionOfInterestMeta` that upstream elements attached.
enum RegionReader {
    /// Returns the regions as detections. The score is that of the parameter `detection`, or else 1.
    static func detections(of buffer: UnsafeMutablePointer<GstBuffer>, options: DetectionOptions) -> [Detection] {
        var detections: [Detection] = []
        forEachRegion(of: buffer) { meta in
            var score = 1.0
            var index: Int32 = 0
            if let detection = gst_video_region_of_interest_meta_get_param(meta, "detection") {
                gst_structure_get_double(detection, "confidence", &score)
                gst_structure_get_int(detection, "label_id", &index)
            }
            guard score.isFinite, score >= options.scoreFloor else { return }
            let name = g_quark_to_string(meta.pointee.roi_type).map { String(cString: $0) } ?? ""
            detections.append(
                Detection(
                    box: Box(
                        x: Double(meta.pointee.x), y: Double(meta.pointee.y), width: Double(meta.pointee.w),
                        height: Double(meta.pointee.h)),
                    score: min(score, 1), label: name.isEmpty ? nil : Label(index: Int(index), text: name)))
        }
        return detections
    }

    /// Removes all regions from a writable buffer, so that tracked ones can replace them, and the analytics metadata,
    /// which contains the same detections.
    static func removeRegions(from buffer: UnsafeMutablePointer<GstBuffer>) {
        let analytics = g_type_from_name("GstAnalyticsRelationMetaAPI")
        if remove(gst_video_region_of_interest_meta_api_get_type(), from: buffer), analytics != 0 {
            remove(analytics, from: buffer)
        }
    }

    /// - Returns: whether any metadata was removed.
    @discardableResult
    private static func remove(_ type: GType, from buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        var any = false
        while let meta = gst_buffer_get_meta(buffer, type), gst_buffer_remove_meta(buffer, meta) != 0 { any = true }
        return any
    }

    private static func forEachRegion(
        of buffer: UnsafeMutablePointer<GstBuffer>,
        _ body: (UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> Void
    ) {
        var state: gpointer?
        let type = gst_video_region_of_interest_meta_api_get_type()
        while let meta = gst_buffer_iterate_meta_filtered(buffer, &state, type) {
            body(UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self))
        }
    }
}
