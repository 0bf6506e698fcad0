import CGStreamer
import Glibc

/// The functions of GStreamer's analytics library, loaded at run time. The plugin thus works with GStreamer versions
/// older than 1.24 and does not depend on the library, which is part of the bad plugins.
///
/// Tests/pipelines/testing_root.py compares the layouts and constants below with the library's headers.
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

    /// `GstAnalyticsRelTypes`.
    struct Relation: OptionSet {
        let rawValue: UInt32

        static let isPartOf = Relation(rawValue: 1 << 1)
        static let contain = Relation(rawValue: 1 << 2)
        static let relateTo = Relation(rawValue: 1 << 3)
    }

    /// `GstAnalyticsMtdType`.
    typealias Kind = UInt

    typealias AddMeta = @convention(c) (UnsafeMutablePointer<GstBuffer>, UnsafeMutableRawPointer) -> Meta?
    typealias AddObject =
        @convention(c) (Meta, GQuark, Int32, Int32, Int32, Int32, Float, UnsafeMutableRawPointer) -> gboolean
    typealias AddTracking = @convention(c) (Meta, UInt64, GstClockTime, UnsafeMutableRawPointer) -> gboolean
    typealias AddClass = @convention(c) (Meta, Float, GQuark, UnsafeMutableRawPointer) -> gboolean
    typealias UpdateLastSeen = @convention(c) (UnsafeMutableRawPointer, GstClockTime) -> gboolean
    typealias SetLost = @convention(c) (UnsafeMutableRawPointer) -> gboolean
    private typealias SetRelation = @convention(c) (Meta, UInt32, UInt32, UInt32) -> gboolean
    private typealias SetTag = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> gboolean

    typealias GetMeta = @convention(c) (UnsafeMutablePointer<GstBuffer>) -> Meta?
    private typealias GetKind = @convention(c) () -> Kind
    private typealias Iterate =
        @convention(c) (Meta, UnsafeMutablePointer<gpointer?>, Kind, UnsafeMutableRawPointer) -> gboolean
    private typealias GetRelated =
        @convention(c) (Meta, UInt32, UInt32, Kind, UnsafeMutablePointer<gpointer?>, UnsafeMutableRawPointer)
        -> gboolean
    typealias GetLocation =
        @convention(c) (
            UnsafeRawPointer, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>,
            UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Float>
        ) -> gboolean
    typealias GetObjectType = @convention(c) (UnsafeRawPointer) -> GQuark
    typealias GetClassCount = @convention(c) (UnsafeRawPointer) -> Int
    typealias GetClass = @convention(c) (UnsafeRawPointer, Int) -> GQuark
    typealias GetLevel = @convention(c) (UnsafeRawPointer, Int) -> Float

    let addMeta: AddMeta
    let addObject: AddObject
    let addTracking: AddTracking
    let addClass: AddClass
    let updateLastSeen: UpdateLastSeen
    let setLost: SetLost
    let meta: GetMeta
    /// The bounds of a box, also of an oriented one, and its confidence.
    let location: GetLocation
    let objectType: GetObjectType
    let classCount: GetClassCount
    let className: GetClass
    let classLevel: GetLevel
    private let setRelation: SetRelation
    private let iterate: Iterate
    private let getRelated: GetRelated
    private let objectKind: Kind
    private let classKind: Kind
    /// Available since GStreamer 1.30.
    private let setTag: SetTag?

    /// `nil` if the library is not installed.
    static let shared = AnalyticsLibrary()

    private init?() {
        // The library is never closed, because GStreamer registers types from it.
        guard let library = dlopen("libgstanalytics-1.0.so.0", RTLD_NOW) else { return nil }
        func symbol<Function>(_ name: String, _ type: Function.Type) -> Function? {
            dlsym(library, "gst_" + name).map { unsafeBitCast($0, to: type) }
        }
        guard let addMeta = symbol("buffer_add_analytics_relation_meta_full", AddMeta.self),
            let addObject = symbol("analytics_relation_meta_add_od_mtd", AddObject.self),
            let addTracking = symbol("analytics_relation_meta_add_tracking_mtd", AddTracking.self),
            let addClass = symbol("analytics_relation_meta_add_one_cls_mtd", AddClass.self),
            let updateLastSeen = symbol("analytics_tracking_mtd_update_last_seen", UpdateLastSeen.self),
            let setLost = symbol("analytics_tracking_mtd_set_lost", SetLost.self),
            let setRelation = symbol("analytics_relation_meta_set_relation", SetRelation.self),
            let meta = symbol("buffer_get_analytics_relation_meta", GetMeta.self),
            let iterate = symbol("analytics_relation_meta_iterate", Iterate.self),
            let getRelated = symbol("analytics_relation_meta_get_direct_related", GetRelated.self),
            let location = symbol("analytics_od_mtd_get_location", GetLocation.self),
            let objectType = symbol("analytics_od_mtd_get_obj_type", GetObjectType.self),
            let classCount = symbol("analytics_cls_mtd_get_length", GetClassCount.self),
            let className = symbol("analytics_cls_mtd_get_quark", GetClass.self),
            let classLevel = symbol("analytics_cls_mtd_get_level", GetLevel.self),
            let objectKind = symbol("analytics_od_mtd_get_mtd_type", GetKind.self),
            let classKind = symbol("analytics_cls_mtd_get_mtd_type", GetKind.self)
        else { return nil }
        (self.addMeta, self.addObject, self.addTracking, self.addClass) = (addMeta, addObject, addTracking, addClass)
        (self.updateLastSeen, self.setLost, self.setRelation) = (updateLastSeen, setLost, setRelation)
        (self.meta, self.iterate, self.getRelated, self.location) = (meta, iterate, getRelated, location)
        (self.objectType, self.classCount, self.className) = (objectType, classCount, className)
        (self.classLevel, self.objectKind, self.classKind) = (classLevel, objectKind(), classKind())
        setTag = symbol("analytics_mtd_set_semantic_tag", SetTag.self)
    }

    /// Adds a relation from one entry to another.
    func relate(_ one: Entry, _ relation: Relation = .relateTo, to other: Entry) {
        guard let meta = one.meta else { return }
        _ = setRelation(meta, relation.rawValue, one.id, other.id)
    }

    /// Sets the semantic tag of an entry, if GStreamer supports it.
    func tag(_ entry: Entry, _ tag: String) {
        guard let setTag else { return }
        var entry = entry
        _ = setTag(&entry, tag)
    }

    /// Returns all object-detection entries in their order.
    func objects(of meta: Meta) -> [Entry] {
        var (state, entry, entries): (gpointer?, Entry, [Entry]) = (nil, Entry(), [])
        while iterate(meta, &state, objectKind, &entry) != 0 { entries.append(entry) }
        return entries
    }

    /// Returns the classification entries that an entry is related to or contains.
    func classes(of object: Entry) -> [Entry] {
        guard let meta = object.meta else { return [] }
        var (state, entry, entries): (gpointer?, Entry, [Entry]) = (nil, Entry(), [])
        let relations: Relation = [.relateTo, .contain]
        while getRelated(meta, object.id, relations.rawValue, classKind, &state, &entry) != 0 { entries.append(entry) }
        return entries
    }
}
