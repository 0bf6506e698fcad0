import CODTGStreamer
import GstFrames
import SwiftODT

/// Properties with a text value that are presented as GStreamer arrays and structures.
extension PropertyKind<String?> {
    /// A property whose text contains comma-separated items. The property is presented as an array of strings.
    static var strings: PropertyKind {
        array(
            text: { values in DetectionFilter.list(of: values.compactMap(\.string)) },
            values: { text in DetectionFilter.items(in: text).map { .string($0) } })
    }

    /// A property whose text is a JSON array of objects, or the name of a file that contains such an array. The
    /// property is presented as an array of structures.
    static var structures: PropertyKind {
        array(
            text: { JSONValue.array($0).text },
            values: { text in
                let isText = text.first { !$0.isWhitespace } == "[" || text.first { !$0.isWhitespace } == "{"
                let bytes = isText ? Array(text.utf8) : (try? FileBytes.read(text, limit: 4 << 20)).map { Array($0) }
                let root = bytes.flatMap { try? JSONValue(parsing: $0) }
                return root?.array ?? root?["zones"]?.array ?? []
            })
    }

    private static func array(
        text: @escaping @Sendable ([JSONValue]) -> String, values: @escaping @Sendable (String) -> [JSONValue]
    ) -> PropertyKind {
        PropertyKind(
            makeSpec: { words, _ in gst_param_spec_array(words.name, words.nick, words.blurb, nil, words.flags) },
            get: { value in
                let values = JSONValue(value).array ?? []
                return .some(values.isEmpty ? nil : text(values))
            },
            set: { value, current in
                for element in current.map(values) ?? [] { element.append(to: value) }
            })
    }
}

extension JSONValue {
    /// Values of unsupported types become `null`.
    fileprivate init(_ value: UnsafePointer<GValue>) {
        switch value.pointee.g_type {
        case gst_value_array_get_type():
            self = .array(
                (0..<gst_value_array_get_size(value)).map { JSONValue(gst_value_array_get_value(value, $0)) })
        case gst_value_list_get_type():
            self = .array((0..<gst_value_list_get_size(value)).map { JSONValue(gst_value_list_get_value(value, $0)) })
        case gst_structure_get_type():
            guard let structure = gst_value_get_structure(value) else {
                self = .null
                return
            }
            let names = (0..<gst_structure_n_fields(structure)).map {
                gst_structure_nth_field_name(structure, guint($0))!
            }
            self = .object(
                [String: JSONValue](
                    names.map { (String(cString: $0), JSONValue(gst_structure_get_value(structure, $0))) },
                    uniquingKeysWith: { $1 }))
        case FundamentalType.string: self = g_value_get_string(value).map { .string(String(cString: $0)) } ?? .null
        case FundamentalType.boolean: self = .bool(g_value_get_boolean(value) != 0)
        default:
            var number = GValue()
            g_value_init(&number, FundamentalType.double)
            self = g_value_transform(value, &number) != 0 ? .number(g_value_get_double(&number)) : .null
        }
    }

    /// Appends the value to a `GST_TYPE_ARRAY`. All items of such an array must have the same type, so a value of
    /// another type than the first item is left out.
    fileprivate func append(to array: UnsafeMutablePointer<GValue>) {
        guard var item = value else { return }
        guard gst_value_array_get_size(array) == 0 || gst_value_array_get_value(array, 0).pointee.g_type == item.g_type
        else { return g_value_unset(&item) }
        gst_value_array_append_and_take_value(array, &item)
    }

    /// The value as a `GValue`, which the caller owns; `nil` for `null`.
    fileprivate var value: GValue? {
        var value = GValue()
        switch self {
        case .null: return nil
        case .bool(let flag):
            g_value_init(&value, FundamentalType.boolean)
            g_value_set_boolean(&value, flag ? 1 : 0)
        case .number(let number):
            g_value_init(&value, FundamentalType.double)
            g_value_set_double(&value, number)
        case .string(let text):
            g_value_init(&value, FundamentalType.string)
            g_value_set_string(&value, text)
        case .array(let elements):
            g_value_init(&value, gst_value_array_get_type())
            for element in elements { element.append(to: &value) }
        case .object(let members):
            let structure = gst_structure_new_empty("zone")!
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                if var item = member.value { gst_structure_take_value(structure, name, &item) }
            }
            g_value_init(&value, gst_structure_get_type())
            g_value_take_boxed(&value, structure)
        }
        return value
    }
}
