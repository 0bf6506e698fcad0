import CODTGStreamer
import SwiftODT

/// Attaches results to buffers as `GstAnalyticsRelationMeta`, which exists since GStreamer 1.24.
///
/// Each object is an object-detection entry. It has relations to a tracking entry and, if they are known, to
/// classification entries for its category and classifier label. GStreamer's own elements use the same direction and
/// type of relation. Marks are classification entries, too. They name the zones of an object, and `swiftodt/carried`
/// means that its box is extrapolated. Their relation has the type "is part of". Elements that read the classes of an
/// object therefore do not find the marks. The cost is one allocation per buffer.
extension AnalyticsLibrary {
    /// Adds the objects of a report to a writable buffer. Entries of other elements are not changed.
    ///
    /// - Parameter upstream: The objects that upstream elements attached to the buffer. ``Track/origin`` is an index
    ///   into this list.
    /// - Returns: The ids of the object-detection entries, one for each object of the report; `nil` for an object
    ///   without an entry.
    func attach(
        _ report: Report, to buffer: UnsafeMutablePointer<GstBuffer>, upstream: [UpstreamObject]
    ) -> [UInt32?] {
        guard !report.objects.isEmpty else { return [] }
        // The initial capacity is three entries per object. The largest entry has about 50 bytes. If the capacity is
        // exceeded, GStreamer enlarges the metadata.
        var room = Room(entries: 3 * report.objects.count, bytes: 192 * report.objects.count)
        guard let meta = addMeta(buffer, &room) else { return [] }
        var marks: [String: Entry] = [:]
        return report.objects.map { object in
            if object.object.track.state == .lost {
                // The end of a track is a tracking entry that is marked as lost. It has no object-detection entry,
                // because an ended track has no box.
                if var tracking = entry(of: object.object.track, in: meta) { _ = setLost(&tracking) }
                return nil
            }
            let source = object.object.track.origin.flatMap { upstream.indices.contains($0) ? upstream[$0] : nil }
            let described = report.object(object, describing: source)
            guard let box = source?.entry ?? add(described, as: source?.type, tag: report.model?.name, to: meta) else {
                return nil
            }
            attach(object.object, of: box, to: meta)
            for name in object.marks { mark(box, name, &marks, in: meta) }
            return box.id
        }
    }

    private func add(_ object: ReportedObject, as type: GQuark?, tag: String?, to meta: Meta) -> Entry? {
        var box = Entry()
        guard
            addObject(
                meta, type ?? g_quark_from_string(object.name), Int32(object.x), Int32(object.y), Int32(object.width),
                Int32(object.height), Float(object.object.track.score), &box) != 0
        else { return nil }
        if let tag, !object.isCarried { self.tag(box, tag) }
        return box
    }

    private func attach(_ object: SceneObject, of box: Entry, to meta: Meta) {
        if let tracking = entry(of: object.track, in: meta) { relate(box, to: tracking) }
        if object.category != .unknown, let confidence = object.confidence {
            classify(box, as: object.category.name, score: confidence, in: meta)
        }
        if let found = object.classifierLabel {
            classify(box, as: found.label.text, score: found.score, in: meta)
        }
    }

    private func classify(_ box: Entry, as name: String, score: Double, in meta: Meta) {
        var entry = Entry()
        if addClass(meta, Float(score), g_quark_from_string(name), &entry) != 0 { relate(box, to: entry) }
    }

    /// All objects of a buffer with the same mark share one entry.
    private func mark(_ box: Entry, _ name: String, _ marks: inout [String: Entry], in meta: Meta) {
        var mark = marks[name] ?? Entry()
        if marks[name] == nil {
            guard addClass(meta, 1, g_quark_from_string(name), &mark) != 0 else { return }
            tag(mark, name)
            marks[name] = mark
        }
        relate(box, .isPartOf, to: mark)
    }

    private func entry(of track: Track, in meta: Meta) -> Entry? {
        guard let id = track.id else { return nil }
        var tracking = Entry()
        guard addTracking(meta, UInt64(id), GstClockTime(clamping: track.firstSeen), &tracking) != 0
        else { return nil }
        _ = updateLastSeen(&tracking, GstClockTime(clamping: track.lastSeen))
        return tracking
    }
}

extension ReportedObject {
    /// The marks state whether the box is extrapolated, in which zones the object is, and which lines it crosses.
    fileprivate var marks: [String] {
        (isCarried ? ["swiftodt/carried"] : [])
            + object.zones.map { relation in
                relation.direction.map { "swiftodt/line/\(relation.zone)/\($0.rawValue)" }
                    ?? "swiftodt/zone/\(relation.zone)"
            }
    }
}
