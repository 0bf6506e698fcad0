import CGStreamer
import SwiftODT

/// Attaches reports to buffers as metadata.
enum MetadataWriter {
    /// - Parameter buffer: a writable buffer.
    static func attach(_ report: Report, to buffer: UnsafeMutablePointer<GstBuffer>, _ kinds: AttachedMeta) {
        if kinds.contains(.roi) {
            for object in report.objects where object.object.track.state != .lost {
                attachRegion(object, to: buffer)
            }
        }
        if kinds.contains(.custom) { CustomMeta.attach(report, to: buffer) }
        if kinds.contains(.analytics) { AnalyticsWriter.shared?.attach(report, to: buffer) }
    }

    /// Attaches one region per object, with the parameters that older DL Streamer elements read.
    private static func attachRegion(_ object: ReportedObject, to buffer: UnsafeMutablePointer<GstBuffer>) {
        guard
            let meta = gst_buffer_add_video_region_of_interest_meta(
                buffer, object.name, object.x, object.y, object.width, object.height)
        else { return }
        let track = object.object.track
        if let id = track.id {
            meta.pointee.id = Int32(clamping: id)
            gst_video_region_of_interest_meta_add_param(
                meta, StructureWriter.structure("object_id", [("id", .int(Int32(clamping: id)))]))
        }
        gst_video_region_of_interest_meta_add_param(
            meta,
            StructureWriter.structure(
                "detection",
                [
                    ("label_id", .int(Int32(clamping: track.label?.index ?? -1))),
                    ("confidence", .real(track.score)),
                    ("x_min", .real(object.xMin)), ("x_max", .real(object.xMax)),
                    ("y_min", .real(object.yMin)), ("y_max", .real(object.yMax)),
                ]))
    }
}
