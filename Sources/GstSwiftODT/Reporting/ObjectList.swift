import CGStreamer

/// The objects of a report as a GStreamer list of `object` structures, made for the first message or metadata that carries it and
/// kept for the next: writing the fields costs several times what copying the finished list does, and where nobody reads, it
/// costs nothing.
///
/// Belongs to the streaming thread, as the reports that hold it.
final class ObjectList: @unchecked Sendable {
    private let objects: [ReportedObject]
    private var list: GValue?

    init(_ objects: [ReportedObject]) { self.objects = objects }

    deinit { if var list { g_value_unset(&list) } }

    /// Puts a copy into a structure.
    func set(_ name: String, in structure: UnsafeMutablePointer<GstStructure>) {
        var made = list ?? make()
        gst_structure_set_value(structure, name, &made)
        list = made
    }

    private func make() -> GValue {
        var list = GValue()
        g_value_init(&list, gst_value_list_get_type())
        for object in objects {
            var item = GValue()
            g_value_init(&item, gst_structure_get_type())
            g_value_take_boxed(&item, StructureWriter.structure("object", object.fields))
            gst_value_list_append_and_take_value(&list, &item)
        }
        return list
    }
}
