import CGStreamer
import Glibc

/// The functions of GStreamer's analytics library. They are loaded at run time, so the plugin also works without the
/// library, for example with GStreamer before 1.24.
///
/// The function types below do not name their arguments. The order is the order of the C declarations in the library's
/// headers. `Tests/testing-root layouts` compares the layouts and constants below with these headers.
///
/// `@unchecked Sendable`: all properties are constant values or function pointers, and the library is never unloaded.
struct AnalyticsLibrary: @unchecked Sendable {
    /// A pointer to a `GstAnalyticsRelationMeta`, which holds all analytics entries of one buffer.
    typealias Meta = UnsafeMutableRawPointer

    /// A copy of the C struct `GstAnalyticsMtd`: a handle of one entry in the metadata of a buffer. `id` is the entry's
    /// index.
    struct Entry {
        var id: UInt32 = 0
        var meta: Meta?
    }

    /// A copy of the C struct `GstAnalyticsRelationMetaInitParams`: the initial capacity of the metadata, in entries
    /// and in bytes.
    struct Room {
        var entries: Int
        var bytes: Int
    }

    /// The values of `GstAnalyticsRelTypes`, the kinds of relation between two entries.
    struct Relation: OptionSet {
        let rawValue: UInt32

        static let isPartOf = Relation(rawValue: 1 << 1)
        static let contain = Relation(rawValue: 1 << 2)
        static let relateTo = Relation(rawValue: 1 << 3)
    }

    /// The type `GstAnalyticsMtdType`: an identifier of the kind of an entry (object detection, tracking,
    /// classification).
    typealias Kind = UInt

    /// Arguments: buffer, initial capacity (``Room``).
    typealias AddMeta = @convention(c) (UnsafeMutablePointer<GstBuffer>, UnsafeMutableRawPointer) -> Meta?
    /// Arguments: metadata, object type, x, y, width, height, confidence, the new entry (output). The box is in pixels.
    typealias AddObject =
        @convention(c) (Meta, GQuark, Int32, Int32, Int32, Int32, Float, UnsafeMutableRawPointer) -> gboolean
    /// Arguments: metadata, tracking id, time of the first detection, the new entry (output).
    typealias AddTracking = @convention(c) (Meta, UInt64, GstClockTime, UnsafeMutableRawPointer) -> gboolean
    /// Arguments: metadata, confidence, class name, the new entry (output).
    typealias AddClass = @convention(c) (Meta, Float, GQuark, UnsafeMutableRawPointer) -> gboolean
    /// Arguments: tracking entry, time of the latest detection.
    typealias UpdateLastSeen = @convention(c) (UnsafeMutableRawPointer, GstClockTime) -> gboolean
    /// Argument: tracking entry.
    typealias SetLost = @convention(c) (UnsafeMutableRawPointer) -> gboolean
    /// Arguments: metadata, relation, id of the first entry, id of the second entry.
    private typealias SetRelation = @convention(c) (Meta, UInt32, UInt32, UInt32) -> gboolean
    /// Arguments: entry, tag.
    private typealias SetTag = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> gboolean

    /// Argument: buffer. The result is `nil` if the buffer has no analytics metadata.
    typealias GetMeta = @convention(c) (UnsafeMutablePointer<GstBuffer>) -> Meta?
    private typealias GetTensor = @convention(c) (UnsafeRawPointer) -> UnsafeMutableRawPointer?
    private typealias GetKind = @convention(c) () -> Kind
    /// Arguments: metadata, state of the iteration, kind of entry, the next entry (output).
    private typealias Iterate =
        @convention(c) (Meta, UnsafeMutablePointer<gpointer?>, Kind, UnsafeMutableRawPointer) -> gboolean
    /// Arguments: metadata, id of the entry, relations, kind of the related entry, state of the iteration, the next
    /// related entry (output).
    private typealias GetRelated =
        @convention(c) (Meta, UInt32, UInt32, Kind, UnsafeMutablePointer<gpointer?>, UnsafeMutableRawPointer)
        -> gboolean
    /// Arguments: object-detection entry, then the outputs x, y, width, height and confidence.
    typealias GetLocation =
        @convention(c) (
            UnsafeRawPointer, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>,
            UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Float>
        ) -> gboolean
    /// Argument: object-detection entry.
    typealias GetObjectType = @convention(c) (UnsafeRawPointer) -> GQuark
    /// Argument: classification entry.
    typealias GetClassCount = @convention(c) (UnsafeRawPointer) -> Int
    /// Arguments: classification entry, index of the class. The result is the name of the class.
    typealias GetClass = @convention(c) (UnsafeRawPointer, Int) -> GQuark
    /// Arguments: classification entry, index of the class. The result is the confidence of the class, 0 to 1.
    typealias GetLevel = @convention(c) (UnsafeRawPointer, Int) -> Float

    let addMeta: AddMeta
    let addObject: AddObject
    let addTracking: AddTracking
    let addClass: AddClass
    let updateLastSeen: UpdateLastSeen
    let setLost: SetLost
    let meta: GetMeta
    /// Returns the box of an object and its confidence. For a rotated box, returns the axis-aligned bounds.
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
    /// The kind of tensor entries, and the function that returns the `GstTensor` of a tensor entry. `nil` in versions
    /// of GStreamer before 1.28.
    private let tensorKind: Kind?
    private let getTensor: GetTensor?
    /// Sets the semantic tag of an entry. `nil` in versions of GStreamer before 1.30.
    private let setTag: SetTag?

    /// `nil` if the library is not installed.
    static let shared = AnalyticsLibrary()

    private init?() {
        // The library is never closed, because GStreamer registers types whose code is in the library.
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
        tensorKind = symbol("analytics_tensor_mtd_get_mtd_type", GetKind.self)?()
        getTensor = symbol("analytics_tensor_mtd_get_tensor", GetTensor.self)
        setTag = symbol("analytics_mtd_set_semantic_tag", SetTag.self)
    }

    func relate(_ one: Entry, _ relation: Relation = .relateTo, to other: Entry) {
        guard let meta = one.meta else { return }
        _ = setRelation(meta, relation.rawValue, one.id, other.id)
    }

    /// Does nothing if the installed GStreamer does not support tags.
    func tag(_ entry: Entry, _ tag: String) {
        guard let setTag else { return }
        var entry = entry
        _ = setTag(&entry, tag)
    }

    /// Returns the entries in the order of the metadata.
    func objects(of meta: Meta) -> [Entry] { entries(of: objectKind, in: meta) }

    /// Returns the `GstTensor`s of all tensor entries in the order of the metadata.
    func tensors(of meta: Meta) -> [UnsafeMutableRawPointer] {
        guard let tensorKind, let getTensor else { return [] }
        return entries(of: tensorKind, in: meta).compactMap {
            var entry = $0
            return getTensor(&entry)
        }
    }

    private func entries(of kind: Kind, in meta: Meta) -> [Entry] {
        var (state, entry, entries): (gpointer?, Entry, [Entry]) = (nil, Entry(), [])
        while iterate(meta, &state, kind, &entry) != 0 { entries.append(entry) }
        return entries
    }

    /// Returns the classification entries to which an object-detection entry has a relation of the type "relates to" or
    /// "contains".
    func classes(of object: Entry) -> [Entry] {
        guard let meta = object.meta else { return [] }
        var (state, entry, entries): (gpointer?, Entry, [Entry]) = (nil, Entry(), [])
        let relations: Relation = [.relateTo, .contain]
        while getRelated(meta, object.id, relations.rawValue, classKind, &state, &entry) != 0 { entries.append(entry) }
        return entries
    }
}
