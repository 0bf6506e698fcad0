import CGStreamer
import SwiftODT

/// Sets properties from user input of the form NAME=VALUE. Invalid input is an error, whereas GStreamer ignores it.
public enum PropertySetting {
    /// - Throws: ``PlaybackError`` if the property does not exist or rejects the value.
    public static func set(_ word: String, of element: Element) throws {
        let kind = element.kind
        guard let equals = word.firstIndex(of: "=") else {
            throw PlaybackError("'\(word)' is not NAME=VALUE with a property of \(kind)", isUsage: true)
        }
        let name = String(word[..<equals])
        guard let about = specification(name, of: element) else {
            let meant = nearestName(to: name, in: names(of: element)).map { "; did you mean '\($0)'?" }
            throw PlaybackError(
                "\(kind) has no property '\(name)'\(meant ?? ": gst-inspect-1.0 \(kind) lists them")", isUsage: true)
        }
        try set(about, to: String(word[word.index(after: equals)...]), of: element)
    }

    /// The writable properties of swiftodt; empty if GStreamer does not find the element.
    public static var namesOfSwiftodt: [String] {
        guard (try? PluginSearch.start()) != nil, let element = gst_element_factory_make("swiftodt", nil)
        else { return [] }
        // Takes ownership of the floating reference.
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

    /// Returns the specification of a writable property; `nil` if there is none of this name.
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
            // Set literally: GStreamer's parser would interpret quotes and backslashes.
            g_value_set_string(&value, text)
        } else if gst_value_deserialize_with_pspec(&value, text, about) == 0
            || g_param_value_validate(about, &value) != 0
        {
            throw PlaybackError(
                "'\(text)' is not a valid value of \(name): see gst-inspect-1.0 \(element.kind)", isUsage: true)
        }
        g_object_set_property(element.gobject, name, &value)
    }

    /// The value of GLib's macro `G_TYPE_STRING`, which Swift does not import.
    private static let stringType = GType(16 << 2)
}
