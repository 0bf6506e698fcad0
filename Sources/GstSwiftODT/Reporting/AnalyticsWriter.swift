import CGStreamer
import Glibc
import SwiftODT

/// Attaches `GstAnalyticsRelationMeta`, which GStreamer has from 1.24 on.
///
/// The few functions are looked up at run time: one plugin serves older and newer GStreamer alike, and the analytics
/// library (of the bad plugins) is no dependency. Costs one look-up a process.
struct AnalyticsWriter: @unchecked Sendable {
    /// `nil` where this GStreamer has no analytics library.
    static let shared = AnalyticsWriter()

    /// `GstAnalyticsMtd`: a handle to one piece of metadata.
    private struct Handle {
        var id: UInt32 = 0
        var meta: UnsafeMutableRawPointer?
    }

    private typealias AddMeta = @convention(c) (UnsafeMutablePointer<GstBuffer>) -> UnsafeMutableRawPointer?
    private typealias AddObject =
        @convention(c) (
            UnsafeMutableRawPointer, GQuark, Int32, Int32, Int32, Int32, Float, UnsafeMutableRawPointer
        ) -> gboolean
    private typealias AddTracking =
        @convention(c) (UnsafeMutableRawPointer, UInt64, UInt64, UnsafeMutableRawPointer) -> gboolean
    private typealias Relate = @convention(c) (UnsafeMutableRawPointer, UInt32, UInt32, UInt32) -> gboolean

    private let addMeta: AddMeta
    private let addObject: AddObject
    private let addTracking: AddTracking
    private let relate: Relate

    private init?() {
        // Never closed: GStreamer registers types from it.
        guard let library = dlopen("libgstanalytics-1.0.so.0", RTLD_NOW),
            let addMeta = dlsym(library, "gst_buffer_add_analytics_relation_meta"),
            let addObject = dlsym(library, "gst_analytics_relation_meta_add_od_mtd"),
            let addTracking = dlsym(library, "gst_analytics_relation_meta_add_tracking_mtd"),
            let relate = dlsym(library, "gst_analytics_relation_meta_set_relation")
        else { return nil }
        self.addMeta = unsafeBitCast(addMeta, to: AddMeta.self)
        self.addObject = unsafeBitCast(addObject, to: AddObject.self)
        self.addTracking = unsafeBitCast(addTracking, to: AddTracking.self)
        self.relate = unsafeBitCast(relate, to: Relate.self)
    }

    func attach(_ report: Report, to buffer: UnsafeMutablePointer<GstBuffer>) {
        let objects = report.objects.filter { $0.object.track.state != .lost }
        guard !objects.isEmpty, let meta = addMeta(buffer) else { return }
        for object in objects {
            let track = object.object.track
            var box = Handle()
            guard
                addObject(
                    meta, g_quark_from_string(object.name), Int32(object.x), Int32(object.y), Int32(object.width),
                    Int32(object.height), Float(track.score), &box) != 0
            else { continue }
            guard let id = track.id else { continue }
            var tracking = Handle()
            guard addTracking(meta, UInt64(id), UInt64(clamping: track.firstSeen), &tracking) != 0 else { continue }
            let relatesTo: UInt32 = 1 << 3
            _ = relate(meta, relatesTo, box.id, tracking.id)
        }
    }
}
