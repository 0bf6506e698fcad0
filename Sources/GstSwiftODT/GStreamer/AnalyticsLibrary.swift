import CGStreamer
import Glibc

/// The functions of GStreamer's analytics library, loaded at run time. The plugin thus works with GStreamer versions
/// older than 1.24 and does not depend on the library, which is part of the bad plugins.
///
/// `@unchecked Sendable`: all properties are constant function pointers, and the library is never unloaded.
struct AnalyticsLibrary: @unchecked Sendable {
    /// A pointer to `GstAnalyticsRelationMeta`.
    typealias Meta = UnsafeMutableRawPointer

    /// `GstAnalyticsMtd`: a handle of one entry of the metadata.
    struct Entry {
        var id: UInt32 = 0
        var meta: Meta?
    }

    /// `GstAnalyticsRelationMetaInitParams`: the initial capacity of the metadata.
    struct Room {
        var entries: Int
        var bytes: Int
    }

    typealias AddMeta = @convention(c) (UnsafeMutablePointer<GstBuffer>, UnsafeMutableRawPointer) -> Meta?
    typealias AddObject =
        @convention(c) (Meta, GQuark, Int32, Int32, Int32, Int32, Float, UnsafeMutableRawPointer) -> gboolean
    typealias AddTracking = @convention(c) (Meta, UInt64, GstClockTime, UnsafeMutableRawPointer) -> gboolean
    typealias AddClass = @convention(c) (Meta, Float, GQuark, UnsafeMutableRawPointer) -> gboolean
    typealias UpdateLastSeen = @convention(c) (UnsafeMutableRawPointer, GstClockTime) -> gboolean
    typealias SetLost = @convention(c) (UnsafeMutableRawPointer) -> gboolean
    private typealias SetRelation = @convention(c) (Meta, UInt32, UInt32, UInt32) -> gboolean

    let addMeta: AddMeta
    let addObject: AddObject
    let addTracking: AddTracking
    let addClass: AddClass
    let updateLastSeen: UpdateLastSeen
    let setLost: SetLost
    private let setRelation: SetRelation

    /// `nil` if the library is not installed.
    static let shared = AnalyticsLibrary()

    private init?() {
        // The library is never closed, because GStreamer registers types from it.
        guard let library = dlopen("libgstanalytics-1.0.so.0", RTLD_NOW),
            let addMeta = dlsym(library, "gst_buffer_add_analytics_relation_meta_full"),
            let addObject = dlsym(library, "gst_analytics_relation_meta_add_od_mtd"),
            let addTracking = dlsym(library, "gst_analytics_relation_meta_add_tracking_mtd"),
            let addClass = dlsym(library, "gst_analytics_relation_meta_add_one_cls_mtd"),
            let updateLastSeen = dlsym(library, "gst_analytics_tracking_mtd_update_last_seen"),
            let setLost = dlsym(library, "gst_analytics_tracking_mtd_set_lost"),
            let setRelation = dlsym(library, "gst_analytics_relation_meta_set_relation")
        else { return nil }
        self.addMeta = unsafeBitCast(addMeta, to: AddMeta.self)
        self.addObject = unsafeBitCast(addObject, to: AddObject.self)
        self.addTracking = unsafeBitCast(addTracking, to: AddTracking.self)
        self.addClass = unsafeBitCast(addClass, to: AddClass.self)
        self.updateLastSeen = unsafeBitCast(updateLastSeen, to: UpdateLastSeen.self)
        self.setLost = unsafeBitCast(setLost, to: SetLost.self)
        self.setRelation = unsafeBitCast(setRelation, to: SetRelation.self)
    }

    /// Adds a `GST_ANALYTICS_REL_TYPE_RELATE_TO` relation from one entry to another.
    func relate(_ one: Entry, to other: Entry) {
        guard let meta = one.meta else { return }
        _ = setRelation(meta, 1 << 3, one.id, other.id)
    }
}
