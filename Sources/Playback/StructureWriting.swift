import CGStreamer

extension OwnedStructure {
    /// Creates a structure without fields.
    public convenience init(named name: String) { self.init(gst_structure_new_empty(name)) }

    /// Creates a copy to which fields can be added, because the structure of a bus message is immutable.
    public convenience init(copying other: UnsafePointer<GstStructure>) { self.init(gst_structure_copy(other)) }

    public func set(_ field: String, to text: String) {
        var value = GValue()
        g_value_init(&value, MessageText.Kind.string)
        g_value_set_string(&value, text)
        gst_structure_take_value(pointer, field, &value)
    }

    public func set(_ field: String, to number: UInt32) {
        var value = GValue()
        g_value_init(&value, MessageText.Kind.uint)
        g_value_set_uint(&value, number)
        gst_structure_take_value(pointer, field, &value)
    }

    public func set(_ field: String, to number: UInt64) {
        var value = GValue()
        g_value_init(&value, MessageText.Kind.uint64)
        g_value_set_uint64(&value, guint64(number))
        gst_structure_take_value(pointer, field, &value)
    }
}
