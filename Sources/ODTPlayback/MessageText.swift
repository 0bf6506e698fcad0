import CODTGStreamer
import GstFrames
import SwiftODT

/// Converts the structures of bus messages to lines of JSON. The key `message` has the structure's name. The other keys
/// are the structure's fields, in their order. The value of an unknown time is `null`.
package enum MessageText {
    /// - Parameter name: The value for the key `message`; `nil` for the structure's own name.
    package static func line(_ structure: UnsafePointer<GstStructure>, name: String? = nil) -> String {
        let name = name ?? String(cString: gst_structure_get_name(structure))
        var text = "{\"message\": \(JSONValue.quoted(name))"
        append(fieldsOf: structure, to: &text, isFirst: false)
        return text + "}\n"
    }

    private static func append(fieldsOf structure: UnsafePointer<GstStructure>, to text: inout String, isFirst: Bool) {
        for number in 0..<max(0, gst_structure_n_fields(structure)) {
            guard let name = gst_structure_nth_field_name(structure, UInt32(number)),
                let value = gst_structure_get_value(structure, name)
            else { continue }
            if number > 0 || !isFirst { text += ", " }
            text += JSONValue.quoted(String(cString: name)) + ": "
            append(value, to: &text)
        }
    }

    private static func append(_ value: UnsafePointer<GValue>, to text: inout String) {
        switch value.pointee.g_type {
        case FundamentalType.boolean: text += g_value_get_boolean(value) != 0 ? "true" : "false"
        case FundamentalType.int: text += String(g_value_get_int(value))
        case FundamentalType.uint: text += String(g_value_get_uint(value))
        case FundamentalType.int64: text += String(g_value_get_int64(value))
        case FundamentalType.uint64:
            let number = UInt64(g_value_get_uint64(value))
            text += number == .max ? "null" : String(number)
        case FundamentalType.double:
            let number = g_value_get_double(value)
            text += number.isFinite ? number.description : "null"
        case FundamentalType.string:
            text += g_value_get_string(value).map { JSONValue.quoted(String(cString: $0)) } ?? "null"
        case gst_structure_get_type():
            text += "{"
            if let inner = gst_value_get_structure(value) { append(fieldsOf: inner, to: &text, isFirst: true) }
            text += "}"
        case gst_value_list_get_type(): append(value, gst_value_list_get_size, gst_value_list_get_value, to: &text)
        case gst_value_array_get_type(): append(value, gst_value_array_get_size, gst_value_array_get_value, to: &text)
        // A value of another type becomes a string in GStreamer's textual form.
        default: text += String(freeing: gst_value_serialize(value)).map(JSONValue.quoted) ?? "null"
        }
    }

    private static func append(
        _ list: UnsafePointer<GValue>, _ size: (UnsafePointer<GValue>) -> guint,
        _ item: (UnsafePointer<GValue>, guint) -> UnsafePointer<GValue>?, to text: inout String
    ) {
        text += "["
        for number in 0..<size(list) {
            if number > 0 { text += ", " }
            if let value = item(list, number) { append(value, to: &text) }
        }
        text += "]"
    }
}
