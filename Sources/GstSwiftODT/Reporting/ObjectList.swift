import CGStreamer

/// The objects of a report as a GStreamer list of `object` structures. The list is created for the first message or
/// metadata that contains it and copied for the next, which is much cheaper than writing the fields again. If nothing
/// contains it, it costs nothing. The last user takes the list itself.
///
/// `@unchecked Sendable`: used by the streaming thread only, like the report that contains it.
final class ObjectList: @unchecked Sendable {
    private let objects: [ReportedObject]
    private var list: GValue?

    init(_ objects: [ReportedObject]) { self.objects = objects }

    deinit { if var list { g_value_unset(&list) } }

    /// Copies the list into a structure.
    func set(_ name: String, in structure: UnsafeMutablePointer<GstStructure>) {
        var made = take()
        gst_structure_set_value(structure, name, &made)
        list = made
    }

    /// Moves the list into a structure. A later call creates it again.
    func move(_ name: String, into structure: UnsafeMutablePointer<GstStructure>) {
        var made = take()
        gst_structure_take_value(structure, name, &made)
    }

    private func take() -> GValue {
        defer { list = nil }
        return list ?? StructureWriter.list(of: "object", objects.lazy.map(\.fields))
    }
}
