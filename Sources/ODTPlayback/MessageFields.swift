import CODTGStreamer
import SwiftODT

/// Access to the fields of a bus message's structure by name. The functions return `nil` if there is no such field.
package struct MessageFields {
    private let structure: UnsafePointer<GstStructure>

    /// - Parameter structure: Must stay valid while the fields are read.
    package init(_ structure: UnsafePointer<GstStructure>) { self.structure = structure }

    /// Returns `nil` if the value contains no structure.
    init?(of value: UnsafePointer<GValue>?) {
        guard let value, value.pointee.g_type == gst_structure_get_type(),
            let structure = gst_value_get_structure(value)
        else { return nil }
        self.init(structure)
    }

    package var names: [String] {
        (0..<gst_structure_n_fields(structure)).map {
            String(cString: gst_structure_nth_field_name(structure, guint($0)))
        }
    }

    package var name: String { String(cString: gst_structure_get_name(structure)) }

    package func text(_ field: String) -> String? {
        gst_structure_get_string(structure, field).map { String(cString: $0) }
    }

    package func real(_ field: String) -> Double? {
        var value = 0.0
        return gst_structure_get_double(structure, field, &value) != 0 ? value : nil
    }

    package func signed(_ field: String) -> Int32? {
        var value: gint = 0
        return gst_structure_get_int(structure, field, &value) != 0 ? Int32(value) : nil
    }

    package func flag(_ field: String) -> Bool? {
        var value: gboolean = 0
        return gst_structure_get_boolean(structure, field, &value) != 0 ? value != 0 : nil
    }

    /// Returns an unsigned integer field of 32 or 64 bits. Returns `nil` also for an unknown time
    /// (`GST_CLOCK_TIME_NONE`).
    package func count(_ field: String) -> UInt64? {
        var small: guint = 0
        if gst_structure_get_uint(structure, field, &small) != 0 { return UInt64(small) }
        var large: guint64 = 0
        guard gst_structure_get_uint64(structure, field, &large) != 0 else { return nil }
        return UInt64(large) == .max ? nil : UInt64(large)
    }

    package func structure(_ field: String) -> MessageFields? {
        MessageFields(of: gst_structure_get_value(structure, field))
    }

    /// Returns an empty list if there is no such field.
    package func list(_ field: String) -> [MessageFields] {
        guard let list = gst_structure_get_value(structure, field), list.pointee.g_type == gst_value_list_get_type()
        else { return [] }
        return (0..<gst_value_list_get_size(list)).compactMap { MessageFields(of: gst_value_list_get_value(list, $0)) }
    }
}

extension ZoneCount {
    package init(_ fields: MessageFields) {
        let counts = fields.list("by-label").map { ($0.text("label") ?? "", Counts($0)) }
        self.init(
            name: fields.text("name") ?? "", kind: fields.text("kind") == "line" ? .line : .area, all: Counts(fields),
            byLabel: Dictionary(counts, uniquingKeysWith: { first, _ in first }))
    }
}

extension ZoneCount.Counts {
    package init(_ fields: MessageFields) {
        func figure(_ name: String) -> Int { Int(clamping: fields.count(name) ?? 0) }
        self.init(
            count: figure("count"), entered: figure("entered"), left: figure("left"), in: figure("in"),
            out: figure("out"))
    }
}

extension MessageFields {
    /// Whether the message reports the end of a track whose object continues with an earlier id.
    package var isReidentification: Bool {
        text("event") == "end" && text("reason") == TrackEvent.Reason.reidentified.rawValue
    }
}
