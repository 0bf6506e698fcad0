import CGStreamer

extension Element {
    /// Reads a property that holds a structure, such as the element's `stats`.
    ///
    /// - Parameter body: Receives the fields, which are valid during the call.
    /// - Returns: `nil` if the property does not exist or has no value.
    public func read<Answer>(_ property: String, _ body: (MessageFields) -> Answer) -> Answer? {
        guard has(property) else { return nil }
        var value = GValue()
        g_value_init(&value, gst_structure_get_type())
        defer { g_value_unset(&value) }
        g_object_get_property(gobject, property, &value)
        return gst_value_get_structure(&value).map { body(MessageFields($0)) }
    }
}
