import CGStreamer
import SwiftODT

/// Properties that users set, as NAME=VALUE. What cannot be used is an error, where GStreamer would pass it over.
public enum PropertySetting {
    /// - Throws: ``PlaybackError`` with a sentence, where there is no such property or it cannot have this value.
    public static func set(_ word: String, of element: Element) throws {
        let kind = element.kind
        guard let equals = word.firstIndex(of: "=") else {
            throw PlaybackError("'\(word)' sets no property of \(kind): it is not NAME=VALUE", isUsage: true)
        }
        let name = String(word[..<equals])
        guard let about = specification(name, of: element) else {
            let meant = nearestName(to: name, in: names(of: element)).map { "; did you mean '\($0)'?" }
            throw PlaybackError(
                "\(kind) has no property '\(name)'\(meant ?? ": gst-inspect-1.0 \(kind) lists them")", isUsage: true)
        }
        try set(about, to: String(word[word.index(after: equals)...]), of: element)
    }

    /// The properties of swiftodt that can be set; empty if GStreamer does not find the element.
    public static var namesOfSwiftodt: [String] {
        guard (try? PluginSearch.start()) != nil, let element = gst_element_factory_make("swiftodt", nil)
        else { return [] }
        // Takes over the floating reference.
        gst_object_ref_sink(element)
        return names(of: Element(element))
    }

    private static func names(of element: Element) -> [String] {
        var count: guint = 0
        guard let list = g_object_class_list_properties(element.objectClass, &count) else { return [] }
        defer { g_free(list) }
        return (0..<Int(count)).compactMap { number in
            guard let about = list[number], about.pointee.flags.rawValue & G_PARAM_WRITABLE.rawValue != 0
            else { return nil }
            return String(cString: about.pointee.name)
        }
    }

    /// The property, if there is one of this name that can be set.
    private static func specification(_ name: String, of element: Element) -> UnsafeMutablePointer<GParamSpec>? {
        guard let about = g_object_class_find_property(element.objectClass, name),
            about.pointee.flags.rawValue & G_PARAM_WRITABLE.rawValue != 0
        else { return nil }
        return about
    }

    private static func set(_ about: UnsafeMutablePointer<GParamSpec>, to text: String, of element: Element) throws {
        let name = String(cString: about.pointee.name)
        guard PathText.isUTF8(text) else { throw PlaybackError("'\(text)' is not UTF-8", isUsage: true) }
        var value = GValue()
        g_value_init(&value, about.pointee.value_type)
        defer { g_value_unset(&value) }
        if g_type_is_a(about.pointee.value_type, stringType) != 0 {
            // As it stands: quotes and backslashes are part of a text.
            g_value_set_string(&value, text)
        } else if gst_value_deserialize_with_pspec(&value, text, about) == 0
            || g_param_value_validate(about, &value) != 0
        {
            throw PlaybackError(
                "'\(text)' cannot be \(name): gst-inspect-1.0 \(element.kind) says what can", isUsage: true)
        }
        g_object_set_property(element.gobject, name, &value)
    }

    /// GLib's, whose C macro Swift cannot see.
    private static let stringType = GType(16 << 2)
}
