import CODTGStreamer
import SwiftODT

/// Attaches reports to buffers as metadata. The metadata of other elements is not removed, except the custom metadata
/// of the `swiftodt` element that supplied the detections. If the tracked objects come from metadata of an upstream
/// element, their tracking ids are added to this metadata.
enum MetadataWriter {
    /// - Parameters:
    ///   - buffer: A writable buffer.
    ///   - isFromUpstream: Whether the detections were read from metadata of the buffer.
    static func attach(
        _ report: Report, to buffer: UnsafeMutablePointer<GstBuffer>, _ kinds: AttachedMeta, isFromUpstream: Bool
    ) {
        let upstream = isFromUpstream ? UpstreamObject.all(of: buffer) : []
        if kinds.contains(.custom) {
            // The metadata of an upstream `swiftodt` element is removed first, because a reader would find it instead
            // of the new results.
            if isFromUpstream { CustomMeta.remove(from: buffer) }
            CustomMeta.attach(report, to: buffer)
        }
        var entries: [UInt32?] = []
        if kinds.contains(.analytics), let library = AnalyticsLibrary.shared {
            entries = library.attach(report, to: buffer, upstream: upstream)
        }
        guard kinds.contains(.roi) else { return }
        for (number, object) in report.objects.enumerated() where object.object.track.state != .lost {
            let source = object.object.track.origin.flatMap { upstream.indices.contains($0) ? upstream[$0] : nil }
            if let region = source?.region {
                addID(of: object.object.track, to: region)
            } else {
                attachRegion(
                    report.object(object, describing: source), as: source?.type,
                    entry: number < entries.count ? entries[number] : nil, to: buffer)
            }
        }
    }

    /// Attaches one region of interest for an object. The region has the parameters that the elements of DL Streamer
    /// read. Its id is the id of the object's entry in the analytics metadata, as in DL Streamer, or without an entry
    /// the tracking id.
    private static func attachRegion(
        _ object: ReportedObject, as type: GQuark?, entry: UInt32?, to buffer: UnsafeMutablePointer<GstBuffer>
    ) {
        guard
            let meta = gst_buffer_add_video_region_of_interest_meta_id(
                buffer, type ?? g_quark_from_string(object.name), object.x, object.y, object.width, object.height)
        else { return }
        let track = object.object.track
        if let id = entry.map(Int.init) ?? track.id { meta.pointee.id = Int32(clamping: id) }
        addID(of: track, to: meta)
        var fields: [(name: String, value: FieldValue)] = [
            ("label_id", .int(object.labelIndex)),
            ("confidence", .real(track.score)),
            ("x_min", .real(object.xMin)), ("x_max", .real(object.xMax)),
            ("y_min", .real(object.yMin)), ("y_max", .real(object.yMax)),
        ]
        if object.isCarried { fields.append(("carried", .boolean(true))) }
        gst_video_region_of_interest_meta_add_param(meta, StructureWriter.structure("detection", fields))
    }

    /// Adds the tracking id to a region of interest, unless an upstream tracker has already added one.
    private static func addID(of track: Track, to region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) {
        guard let id = track.id, gst_video_region_of_interest_meta_get_param(region, "object_id") == nil else { return }
        gst_video_region_of_interest_meta_add_param(
            region, StructureWriter.structure("object_id", [("id", .int(Int32(clamping: id)))]))
    }
}
