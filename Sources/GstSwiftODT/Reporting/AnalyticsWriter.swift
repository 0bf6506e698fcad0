import CGStreamer
import SwiftODT

/// Attaches `GstAnalyticsRelationMeta`, available since GStreamer 1.24.
///
/// Each object is an object-detection entry that relates to a tracking entry and, if its category is known, to a
/// classification entry. GStreamer's own elements use the same direction and type of relation. The cost is one
/// allocation per buffer.
struct AnalyticsWriter: Sendable {
    /// `nil` if GStreamer's analytics library is not installed.
    static let shared = AnalyticsLibrary.shared.map(AnalyticsWriter.init)

    private let library: AnalyticsLibrary

    func attach(_ report: Report, to buffer: UnsafeMutablePointer<GstBuffer>) {
        guard !report.objects.isEmpty else { return }
        // At most three entries per object, the largest of about 50 bytes. GStreamer grows the metadata if that is not
        // enough.
        var room = AnalyticsLibrary.Room(entries: 3 * report.objects.count, bytes: 192 * report.objects.count)
        guard let meta = library.addMeta(buffer, &room) else { return }
        for object in report.objects {
            if object.object.track.state == .lost {
                attachEnd(of: object.object.track, to: meta)
            } else {
                attach(object, to: meta)
            }
        }
    }

    private func attach(_ object: ReportedObject, to meta: AnalyticsLibrary.Meta) {
        var box = AnalyticsLibrary.Entry()
        guard
            library.addObject(
                meta, g_quark_from_string(object.name), Int32(object.x), Int32(object.y), Int32(object.width),
                Int32(object.height), Float(object.object.track.score), &box) != 0
        else { return }
        if let tracking = entry(of: object.object.track, in: meta) { library.relate(box, to: tracking) }
        guard object.object.category != .unknown, let confidence = object.object.confidence else { return }
        var category = AnalyticsLibrary.Entry()
        let name = g_quark_from_string(object.object.category.name)
        if library.addClass(meta, Float(confidence), name, &category) != 0 { library.relate(box, to: category) }
    }

    /// Attaches the end of a track. It has no box and is reported once.
    private func attachEnd(of track: Track, to meta: AnalyticsLibrary.Meta) {
        guard var tracking = entry(of: track, in: meta) else { return }
        _ = library.setLost(&tracking)
    }

    private func entry(of track: Track, in meta: AnalyticsLibrary.Meta) -> AnalyticsLibrary.Entry? {
        guard let id = track.id else { return nil }
        var tracking = AnalyticsLibrary.Entry()
        guard library.addTracking(meta, UInt64(id), GstClockTime(clamping: track.firstSeen), &tracking) != 0
        else { return nil }
        _ = library.updateLastSeen(&tracking, GstClockTime(clamping: track.lastSeen))
        return tracking
    }
}
