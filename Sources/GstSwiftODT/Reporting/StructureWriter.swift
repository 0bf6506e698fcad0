import CODTGStreamer
import GstFrames

/// Writes plain values to structures of the type `GstStructure`.
enum StructureWriter {
    /// The caller owns the structure.
    static func structure(
        _ name: String, _ fields: [(name: String, value: FieldValue)]
    ) -> UnsafeMutablePointer<GstStructure> {
        let structure = gst_structure_new_empty(name)!
        for field in fields { set(field.name, to: field.value, in: structure) }
        return structure
    }

    /// Returns the structure of a `swiftodt` message. Unless the format is JSON only, the call moves the report's list
    /// of objects into the structure. Metadata is therefore attached before this call.
    static func message(of report: Report, format: MessageFormat) -> UnsafeMutablePointer<GstStructure> {
        let structure = structure("swiftodt", report.fields)
        if format.contains(.structure) || !format.contains(.json) { report.objectList.move("objects", into: structure) }
        if format.contains(.json) { set("json", to: .text(JSONWriter.text(of: report)), in: structure) }
        return structure
    }

    static func message(of event: EventReport, format: MessageFormat) -> UnsafeMutablePointer<GstStructure> {
        let structure = structure(event.message, event.fields)
        if format.contains(.json) { set("json", to: .text(JSONWriter.text(of: event)), in: structure) }
        return structure
    }

    static func set(_ name: String, to value: FieldValue, in structure: UnsafeMutablePointer<GstStructure>) {
        var slot = GValue()
        switch value {
        case .uint(let number):
            g_value_init(&slot, FundamentalType.uint)
            g_value_set_uint(&slot, number)
        case .int(let number):
            g_value_init(&slot, FundamentalType.int)
            g_value_set_int(&slot, number)
        case .uint64(let number), .time(let number):
            g_value_init(&slot, FundamentalType.uint64)
            g_value_set_uint64(&slot, guint64(number))
        case .real(let number):
            g_value_init(&slot, FundamentalType.double)
            g_value_set_double(&slot, number.isFinite ? number : 0)
        case .text(let text):
            g_value_init(&slot, FundamentalType.string)
            text.withCString { g_value_set_string(&slot, $0) }
        case .boolean(let flag):
            g_value_init(&slot, FundamentalType.boolean)
            g_value_set_boolean(&slot, flag ? 1 : 0)
        case .list(let item, let entries): slot = list(of: item, entries)
        case .structure(let fields):
            g_value_init(&slot, gst_structure_get_type())
            g_value_take_boxed(&slot, self.structure(name, fields))
        }
        // `withCString` avoids the temporary array that would be allocated if the string were passed directly.
        name.withCString { gst_structure_take_value(structure, $0, &slot) }
    }

    /// Returns a list of structures with the given name. The caller has to unset the list.
    static func list(of name: String, _ entries: some Sequence<[(name: String, value: FieldValue)]>) -> GValue {
        var list = GValue()
        g_value_init(&list, gst_value_list_get_type())
        for fields in entries {
            var item = GValue()
            g_value_init(&item, gst_structure_get_type())
            g_value_take_boxed(&item, structure(name, fields))
            gst_value_list_append_and_take_value(&list, &item)
        }
        return list
    }
}

/// The objects of a report as a GStreamer list of `object` structures. The list is created when a message or metadata
/// first needs it. Metadata gets a copy, because copying is much faster than writing the fields again. The message,
/// which is written last, gets the list itself.
///
/// `@unchecked Sendable`: only the streaming thread uses the list and the report that contains it.
final class ObjectList: @unchecked Sendable {
    let objects: [ReportedObject]
    private var list: GValue?

    init(_ objects: [ReportedObject]) { self.objects = objects }

    deinit { if var list { g_value_unset(&list) } }

    /// Copies the list into a structure.
    func set(_ name: String, in structure: UnsafeMutablePointer<GstStructure>) {
        var made = take()
        gst_structure_set_value(structure, name, &made)
        list = made
    }

    /// Moves the list into a structure without a copy. If the list is needed again, it is created again.
    func move(_ name: String, into structure: UnsafeMutablePointer<GstStructure>) {
        var made = take()
        gst_structure_take_value(structure, name, &made)
    }

    private func take() -> GValue {
        defer { list = nil }
        return list ?? StructureWriter.list(of: "object", objects.lazy.map(\.fields))
    }
}
