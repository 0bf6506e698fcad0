import CGStreamer

/// The objects of a report as a GStreamer list of `object` structures, made once for message and metadata alike: writing
/// the fields costs several times what copying the finished list does.
final class ObjectList: @unchecked Sendable {
    private var list = GValue()

    init(_ objects: [ReportedObject]) {
        g_value_init(&list, gst_value_list_get_type())
        for object in objects {
            var item = GValue()
            g_value_init(&item, gst_structure_get_type())
            g_value_take_boxed(&item, StructureWriter.structure("object", object.fields))
            gst_value_list_append_and_take_value(&list, &item)
        }
    }

    deinit { g_value_unset(&list) }

    /// Puts a copy into a structure.
    func set(_ name: String, in structure: UnsafeMutablePointer<GstStructure>) {
        gst_structure_set_value(structure, name, &list)
    }
}
