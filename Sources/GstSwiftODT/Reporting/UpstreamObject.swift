import CGStreamer
import SwiftODT

/// An object that an element upstream described by metadata of a buffer: an analytics entry, a region of interest, or
/// both.
struct UpstreamObject {
    /// The object-detection entry in the analytics metadata.
    let entry: AnalyticsLibrary.Entry?
    let region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>?
    /// In buffer pixels, as the element gave it.
    let box: Box
    /// The type of object.
    let type: GQuark
    let score: Double
    /// The class index; `nil` if only the name is known.
    let classIndex: Int?

    /// Returns all objects of a buffer. The order depends only on the metadata, so that a copy of the buffer has the
    /// same one.
    static func all(of buffer: UnsafeMutablePointer<GstBuffer>) -> [UpstreamObject] {
        let regions = regions(of: buffer)
        guard let library = AnalyticsLibrary.shared, let meta = library.meta(buffer) else {
            return regions.map { UpstreamObject(region: $0) }
        }
        var isPaired = [Bool](repeating: false, count: regions.count)
        var objects: [UpstreamObject] = []
        for entry in library.objects(of: meta) {
            guard var object = UpstreamObject(entry, library) else { continue }
            if let index = regions.indices.first(where: { !isPaired[$0] && object.describesSame(as: regions[$0]) }) {
                isPaired[index] = true
                object = UpstreamObject(object, pairedWith: regions[index])
            }
            objects.append(object)
        }
        return objects + regions.indices.lazy.filter { !isPaired[$0] }.map { UpstreamObject(region: regions[$0]) }
    }

    /// Returns the objects as detections whose origin is the object's index.
    static func detections(of buffer: UnsafeMutablePointer<GstBuffer>, options: DetectionOptions) -> [Detection] {
        all(of: buffer).enumerated().compactMap { index, object in
            guard object.score.isFinite, object.score >= options.scoreFloor else { return nil }
            return Detection(box: object.box, score: min(object.score, 1), label: object.label, origin: index)
        }
    }

    /// The class. A negative index distinguishes labels of which only the name is known.
    private var label: Label? {
        let name = Self.text(type)
        return name.isEmpty ? nil : Label(index: classIndex ?? -1 - Int(type), text: name)
    }

    private static func text(_ quark: GQuark) -> String {
        quark == 0 ? "" : g_quark_to_string(quark).map { String(cString: $0) } ?? ""
    }

    private static func regions(
        of buffer: UnsafeMutablePointer<GstBuffer>
    ) -> [UnsafeMutablePointer<GstVideoRegionOfInterestMeta>] {
        var regions: [UnsafeMutablePointer<GstVideoRegionOfInterestMeta>] = []
        var state: gpointer?
        let type = gst_video_region_of_interest_meta_api_get_type()
        while let meta = gst_buffer_iterate_meta_filtered(buffer, &state, type) {
            regions.append(UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self))
        }
        return regions
    }
}

extension Report {
    /// Returns an object with the box of the element upstream that found it, so that readers recognise metadata of both
    /// as one object.
    func object(_ object: ReportedObject, describing source: UpstreamObject?) -> ReportedObject {
        guard let source else { return object }
        var described = object.object
        described.track.box = source.box
        return ReportedObject(described, pictureWidth: width, pictureHeight: height)
    }
}

extension UpstreamObject {
    /// Reads a region. The score is that of the parameter `detection`, which DL Streamer defines, or else 1.
    fileprivate init(region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) {
        var score = 1.0
        if let detection = gst_video_region_of_interest_meta_get_param(region, "detection") {
            gst_structure_get_double(detection, "confidence", &score)
        }
        self.init(
            entry: nil, region: region, box: Self.box(of: region), type: region.pointee.roi_type, score: score,
            classIndex: Self.classIndex(of: region))
    }

    /// Reads an object-detection entry. Some decoders leave the type or the confidence to a classification.
    fileprivate init?(_ entry: AnalyticsLibrary.Entry, _ library: AnalyticsLibrary) {
        var entry = entry
        var (x, y, width, height): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        var score: Float = 0
        guard library.location(&entry, &x, &y, &width, &height, &score) != 0 else { return nil }
        var type = library.objectType(&entry)
        if Self.text(type).isEmpty || !(score > 0), let best = Self.bestClass(of: entry, library) {
            if Self.text(type).isEmpty { type = best.name }
            if !(score > 0) { score = best.level }
        }
        self.init(
            entry: entry, region: nil,
            box: Box(x: Double(x), y: Double(y), width: Double(width), height: Double(height)), type: type,
            score: score > 0 ? Double(score) : 1, classIndex: nil)
    }

    private static func bestClass(
        of entry: AnalyticsLibrary.Entry, _ library: AnalyticsLibrary
    ) -> (name: GQuark, level: Float)? {
        var best: (name: GQuark, level: Float)?
        for var found in library.classes(of: entry) {
            for index in 0..<library.classCount(&found) {
                let level = library.classLevel(&found, index)
                if level > best?.level ?? 0 { best = (library.className(&found, index), level) }
            }
        }
        return best
    }

    fileprivate init(_ object: UpstreamObject, pairedWith region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) {
        self.init(
            entry: object.entry, region: region, box: object.box,
            type: object.type == 0 ? region.pointee.roi_type : object.type, score: object.score,
            classIndex: Self.classIndex(of: region))
    }

    /// Returns whether a region and an entry describe one object: the region names the entry by its id and lies at its
    /// place, or they agree in rectangle and type. The id alone does not suffice, because elements also use it for
    /// tracking ids.
    fileprivate func describesSame(as region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> Bool {
        let overlap = Self.box(of: region).iou(box)
        if let entry, Int64(region.pointee.id) == Int64(entry.id), overlap >= Self.overlapWithID { return true }
        return overlap >= Self.overlapWithoutID && region.pointee.roi_type == type
    }

    /// Regions are clipped to the picture and entries need not be.
    private static let overlapWithID = 0.5
    private static let overlapWithoutID = 0.95

    private static func box(of region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> Box {
        Box(
            x: Double(region.pointee.x), y: Double(region.pointee.y), width: Double(region.pointee.w),
            height: Double(region.pointee.h))
    }

    private static func classIndex(of region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> Int? {
        var index: Int32 = 0
        guard let detection = gst_video_region_of_interest_meta_get_param(region, "detection"),
            gst_structure_get_int(detection, "label_id", &index) != 0, index >= 0
        else { return nil }
        return Int(index)
    }
}
