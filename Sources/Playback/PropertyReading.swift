import CGStreamer

extension Element {
    /// Reads a property that holds a structure, such as the element's `stats`.
    ///
    /// - Parameter body: gets its fields, good until it returns.
    /// - Returns: `nil` where it holds none.
    public func read<Answer>(_ property: String, _ body: (MessageFields) -> Answer) -> Answer? {
        guard has(property) else { return nil }
        var value = GValue()
        g_value_init(&value, gst_structure_get_type())
        defer { g_value_unset(&value) }
        g_object_get_property(gobject, property, &value)
        return gst_value_get_structure(&value).map { body(MessageFields($0)) }
    }
}
