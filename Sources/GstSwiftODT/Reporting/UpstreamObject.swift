import CODTGStreamer
import SwiftODT

/// An object that an upstream element has described by an analytics entry, a region of interest, or both.
struct UpstreamObject {
    let entry: AnalyticsLibrary.Entry?
    private(set) var region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>?
    /// The box in buffer pixels, as the upstream element specified it.
    let box: Box
    /// The quark of the class name; 0 if there is none.
    private(set) var type: GQuark
    /// The detection score as the upstream element specified it; 1 if it specified none.
    let score: Double
    /// The index of the class; `nil` if only the class name is known.
    private(set) var classIndex: Int?

    /// Returns all objects that the metadata of a buffer describes. The order depends only on the metadata, so a copy
    /// of the buffer yields the same order.
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
                object.pair(with: regions[index])
            }
            objects.append(object)
        }
        return objects + regions.indices.lazy.filter { !isPaired[$0] }.map { UpstreamObject(region: regions[$0]) }
    }

    static func describesObjects(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        AnalyticsLibrary.shared?.meta(buffer) != nil || !regions(of: buffer).isEmpty
    }

    /// Returns the objects with a score of at least the score floor as detections. The `origin` of a detection is the
    /// index of its object in ``all(of:)``.
    static func detections(of buffer: UnsafeMutablePointer<GstBuffer>, options: DetectionOptions) -> [Detection] {
        all(of: buffer).enumerated().compactMap { index, object in
            // An upstream element that has no score for an object may write NaN.
            let score = object.score.isNaN ? 1 : object.score
            guard score >= options.scoreFloor else { return nil }
            return Detection(box: object.box, score: min(score, 1), label: object.label, origin: index)
        }
    }

    /// The label of the object; `nil` if it has no class name. If the class index is unknown, the label's index is -1.
    private var label: Label? {
        let name = Self.text(type)
        return name.isEmpty ? nil : Label(index: classIndex ?? -1, text: name)
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
    /// Returns the reported object with the box that the upstream element specified. Applications then recognise that
    /// the metadata of both elements describe the same object. If `source` is `nil`, the object is returned unchanged.
    func object(_ object: ReportedObject, describing source: UpstreamObject?) -> ReportedObject {
        guard let source else { return object }
        var described = object.object
        described.track.box = source.box
        return ReportedObject(described, pictureWidth: width, pictureHeight: height)
    }
}

extension UpstreamObject {
    /// Creates an object from a region of interest. The score is the confidence in the parameter `detection`, which DL
    /// Streamer defines; 1 if there is none.
    fileprivate init(region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) {
        var score = 1.0
        if let detection = gst_video_region_of_interest_meta_get_param(region, "detection") {
            gst_structure_get_double(detection, "confidence", &score)
        }
        self.init(
            entry: nil, region: region, box: Self.box(of: region), type: region.pointee.roi_type, score: score,
            classIndex: Self.classIndex(of: region))
    }

    /// Creates an object from an object-detection entry. Some decoders write the type or the confidence to a related
    /// classification entry instead. Missing values are therefore read from the classification entries.
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

    fileprivate mutating func pair(with region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) {
        (self.region, classIndex) = (region, Self.classIndex(of: region))
        if type == 0 { type = region.pointee.roi_type }
    }

    /// Returns whether a region of interest and this object's entry describe the same object. This is the case if the
    /// region's id equals the entry's id and the boxes overlap, or if the boxes are almost equal and the types are
    /// equal. An equal id alone does not suffice, because some elements use the region's id for a tracking id.
    fileprivate func describesSame(as region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> Bool {
        let overlap = Self.box(of: region).iou(box)
        if let entry, Int64(region.pointee.id) == Int64(entry.id), overlap >= Self.overlapWithID { return true }
        return overlap >= Self.overlapWithoutID && region.pointee.roi_type == type
    }

    /// The minimum IoU of a region and an entry with the same id. It is low, because a region is clipped to the
    /// picture, but the box of an entry may extend beyond it.
    private static let overlapWithID = 0.5
    /// The minimum IoU of a region and an entry with different ids.
    private static let overlapWithoutID = 0.95

    /// The fields are unsigned, but some elements write negative values, for example for an object at the left border.
    private static func box(of region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> Box {
        let region = region.pointee
        let (x, y) = (Int32(bitPattern: region.x), Int32(bitPattern: region.y))
        let (width, height) = (Int32(bitPattern: region.w), Int32(bitPattern: region.h))
        return Box(x: Double(x), y: Double(y), width: Double(width), height: Double(height))
    }

    private static func classIndex(of region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta>) -> Int? {
        var index: Int32 = 0
        guard let detection = gst_video_region_of_interest_meta_get_param(region, "detection"),
            gst_structure_get_int(detection, "label_id", &index) != 0, index >= 0
        else { return nil }
        return Int(index)
    }
}
