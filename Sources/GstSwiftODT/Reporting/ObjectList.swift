import CGStreamer

/// The objects of a report as a GStreamer list of `object` structures, made for the first message or metadata that carries it and
/// kept for the next: writing the fields costs several times what copying the finished list does, and where nobody reads, it
/// costs nothing. The last one gets the list itself.
///
/// Belongs to the streaming thread, as the reports that hold it.
final class ObjectList: @unchecked Sendable {
    private let objects: [ReportedObject]
    private var list: GValue?

    init(_ objects: [ReportedObject]) { self.objects = objects }

    deinit { if var list { g_value_unset(&list) } }

    /// Puts a copy into a structure.
    func set(_ name: String, in structure: UnsafeMutablePointer<GstStructure>) {
        var made = take()
        gst_structure_set_value(structure, name, &made)
        list = made
    }

    /// Puts the list into a structure; whoever wants it after that has it made anew.
    func move(_ name: String, into structure: UnsafeMutablePointer<GstStructure>) {
        var made = take()
        gst_structure_take_value(structure, name, &made)
    }

    private func take() -> GValue {
        defer { list = nil }
        return list ?? StructureWriter.list(of: "object", objects.lazy.map(\.fields))
    }
}
