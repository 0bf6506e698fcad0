import CODTGStreamer
import Glibc

/// The functions of GStreamer's analytics library. They are loaded at run time, so the plugin also works without the
/// library, for example with GStreamer before 1.24.
///
/// The function types below do not name their arguments. The arguments have the order of the C declarations in the
/// library's headers. `Tests/testing-root layouts` compares the layouts and constants below with these headers.
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

    private typealias GetKind = @convention(c) () -> Kind
    private typealias GetTensor = @convention(c) (UnsafeRawPointer) -> UnsafeMutableRawPointer?
    private typealias SetTag = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> gboolean

    /// Arguments: buffer, initial capacity (``Room``).
    let addMeta: @convention(c) (UnsafeMutablePointer<GstBuffer>, UnsafeMutableRawPointer) -> Meta?
    /// Arguments: metadata, object type, x, y, width, height, confidence, the new entry (output). The box is in pixels.
    let addObject: @convention(c) (Meta, GQuark, Int32, Int32, Int32, Int32, Float, UnsafeMutableRawPointer) -> gboolean
    /// Arguments: metadata, tracking id, time of the first detection, the new entry (output).
    let addTracking: @convention(c) (Meta, UInt64, GstClockTime, UnsafeMutableRawPointer) -> gboolean
    /// Arguments: metadata, confidence, class name, the new entry (output).
    let addClass: @convention(c) (Meta, Float, GQuark, UnsafeMutableRawPointer) -> gboolean
    /// Arguments: tracking entry, time of the latest detection.
    let updateLastSeen: @convention(c) (UnsafeMutableRawPointer, GstClockTime) -> gboolean
    /// Argument: tracking entry.
    let setLost: @convention(c) (UnsafeMutableRawPointer) -> gboolean
    /// Argument: buffer. The result is `nil` if the buffer has no analytics metadata.
    let meta: @convention(c) (UnsafeMutablePointer<GstBuffer>) -> Meta?
    /// Returns the box of an object and its confidence. For a rotated box, returns the axis-aligned bounds. Arguments:
    /// object-detection entry, then the outputs x, y, width, height and confidence.
    let location:
        @convention(c) (
            UnsafeRawPointer, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>,
            UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Float>
        ) -> gboolean
    /// Argument: object-detection entry.
    let objectType: @convention(c) (UnsafeRawPointer) -> GQuark
    /// Argument: classification entry.
    let classCount: @convention(c) (UnsafeRawPointer) -> Int
    /// Arguments: classification entry, index of the class. The result is the name of the class.
    let className: @convention(c) (UnsafeRawPointer, Int) -> GQuark
    /// Arguments: classification entry, index of the class. The result is the confidence of the class, 0 to 1.
    let classLevel: @convention(c) (UnsafeRawPointer, Int) -> Float
    /// Arguments: metadata, relation, id of the first entry, id of the second entry.
    private let setRelation: @convention(c) (Meta, UInt32, UInt32, UInt32) -> gboolean
    /// Arguments: metadata, state of the iteration, kind of entry, the next entry (output).
    private let iterate:
        @convention(c) (Meta, UnsafeMutablePointer<gpointer?>, Kind, UnsafeMutableRawPointer) -> gboolean
    /// Arguments: metadata, id of the entry, relations, kind of the related entry, state of the iteration, the next
    /// related entry (output).
    private let getRelated:
        @convention(c) (Meta, UInt32, UInt32, Kind, UnsafeMutablePointer<gpointer?>, UnsafeMutableRawPointer)
            -> gboolean
    private let objectKind: Kind
    private let classKind: Kind
    /// The kind of tensor entries, and the function that returns the `GstTensor` of a tensor entry. `nil` in versions
    /// of GStreamer before 1.28.
    private let tensorKind: Kind?
    private let getTensor: GetTensor?
    /// Sets the semantic tag of an entry. Arguments: entry, tag. `nil` in versions of GStreamer before 1.30.
    private let setTag: SetTag?

    /// `nil` if the library is not installed.
    static let shared = try? AnalyticsLibrary()

    private struct Missing: Error {}

    private init() throws {
        // The library is never closed, because GStreamer registers types whose code is in the library.
        guard let library = dlopen("libgstanalytics-1.0.so.0", RTLD_NOW) else { throw Missing() }
        func symbol<Function>(_ name: String) throws -> Function {
            guard let address = dlsym(library, "gst_" + name) else { throw Missing() }
            return unsafeBitCast(address, to: Function.self)
        }
        addMeta = try symbol("buffer_add_analytics_relation_meta_full")
        addObject = try symbol("analytics_relation_meta_add_od_mtd")
        addTracking = try symbol("analytics_relation_meta_add_tracking_mtd")
        addClass = try symbol("analytics_relation_meta_add_one_cls_mtd")
        updateLastSeen = try symbol("analytics_tracking_mtd_update_last_seen")
        setLost = try symbol("analytics_tracking_mtd_set_lost")
        setRelation = try symbol("analytics_relation_meta_set_relation")
        meta = try symbol("buffer_get_analytics_relation_meta")
        iterate = try symbol("analytics_relation_meta_iterate")
        getRelated = try symbol("analytics_relation_meta_get_direct_related")
        location = try symbol("analytics_od_mtd_get_location")
        objectType = try symbol("analytics_od_mtd_get_obj_type")
        classCount = try symbol("analytics_cls_mtd_get_length")
        className = try symbol("analytics_cls_mtd_get_quark")
        classLevel = try symbol("analytics_cls_mtd_get_level")
        objectKind = try (symbol("analytics_od_mtd_get_mtd_type") as GetKind)()
        classKind = try (symbol("analytics_cls_mtd_get_mtd_type") as GetKind)()
        tensorKind = (try? symbol("analytics_tensor_mtd_get_mtd_type") as GetKind)?()
        getTensor = try? symbol("analytics_tensor_mtd_get_tensor") as GetTensor
        setTag = try? symbol("analytics_mtd_set_semantic_tag") as SetTag
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
