import CODTGStreamer
import GstFrames
import SwiftODT

/// An owned reference to an element of a pipeline.
///
/// `@unchecked Sendable`: GStreamer's own locks synchronise all functions that this class calls.
package final class Element: @unchecked Sendable {
    package let pointer: UnsafeMutablePointer<GstElement>

    /// Takes ownership of the caller's reference to the element.
    package init(_ pointer: UnsafeMutablePointer<GstElement>) { self.pointer = pointer }

    deinit { gst_object_unref(pointer) }

    package var name: String { ErrorText.name(of: object) }

    /// The name of the element's factory, as used in a pipeline description.
    package var kind: String {
        guard let factory = gst_element_get_factory(pointer) else { return name }
        let feature = UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self)
        return ErrorText.name(of: feature)
    }

    /// Sets a property from its textual form, as `gst-launch-1.0` does. Invalid values are ignored. For input from
    /// users, use ``PropertySetting``, which reports invalid values.
    package func set(_ property: String, to value: String) {
        PathText.withSystemPath(value) { gst_util_set_object_arg(gobject, property, $0) }
    }

    /// Returns the value of a property in GStreamer's textual form; empty if the value has no textual form.
    package func text(of property: String) -> String {
        var value = GValue()
        g_object_get_property(gobject, property, &value)
        defer { g_value_unset(&value) }
        return String(freeing: gst_value_serialize(&value)) ?? ""
    }

    /// Returns a copy of the value of a property of type `GstStructure`; `nil` if it has another type or no value.
    package func structure(of property: String) -> OwnedStructure? {
        var value = GValue()
        g_object_get_property(gobject, property, &value)
        defer { g_value_unset(&value) }
        guard value.g_type == gst_structure_get_type(), let structure = gst_value_get_structure(&value) else {
            return nil
        }
        return gst_structure_copy(structure).map(OwnedStructure.init)
    }

    /// Reads a property that contains a structure, such as `stats` of the `swiftodt` element.
    ///
    /// - Parameter body: Receives the fields of the structure, which are valid only during the call.
    /// - Returns: The result of `body`; `nil` if the property does not exist or has no value.
    package func read<Answer>(_ property: String, _ body: (MessageFields) -> Answer) -> Answer? {
        guard has(property), let structure = structure(of: property) else { return nil }
        return withExtendedLifetime(structure) { body(MessageFields(structure.pointer)) }
    }

    /// Makes a muxer ignore the tags of its inputs. `matroskamux` writes the tags of a stream regardless of the merge
    /// mode, so tag events do not reach its pads.
    package func ignoreTags() {
        gst_tag_setter_set_tag_merge_mode(OpaquePointer(pointer), GST_TAG_MERGE_KEEP_ALL)
        gst_element_foreach_sink_pad(
            pointer,
            { _, pad, _ in
                pad.map { Element.dropTags(at: Pad(gst_object_ref($0).assumingMemoryBound(to: GstPad.self))) }
                return 1
            }, nil)
        connect("pad-added") { Element.dropTags(at: Pad($0.object(1))) }
    }

    /// Makes the element of a bin that writes tags into its stream, for example `vorbistag`, write none.
    package func omitTagsInside() {
        let bin = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstBin.self)
        guard let setter = gst_bin_get_by_interface(bin, gst_tag_setter_get_type()) else { return }
        gst_tag_setter_set_tag_merge_mode(OpaquePointer(setter), GST_TAG_MERGE_KEEP_ALL)
        gst_object_unref(setter)
    }

    /// Drops tags and tables of contents. The entries of a table of contents can have tags.
    private static func dropTags(at pad: Pad) {
        pad.watchEvents { [GST_EVENT_TAG, GST_EVENT_TOC].contains($0.pointee.type) ? .drop : .ok }
    }

    /// Calls the handler when the element emits a signal. The connection keeps the handler alive.
    ///
    /// - Parameter isOptional: Whether the element may lack the signal.
    package func connect(
        _ signal: String, isOptional: Bool = false, _ handler: @escaping @Sendable (SignalCall) -> Void
    ) {
        guard !isOptional || g_signal_lookup(signal, pointer.typeInstance.pointee.g_class.pointee.g_type) != 0 else {
            return
        }
        let box = Unmanaged.passRetained(SignalHandler(handler)).toOpaque()
        let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), box)
        g_closure_add_finalize_notifier(closure, box) { box, _ in
            if let box { Unmanaged<SignalHandler>.fromOpaque(box).release() }
        }
        g_closure_set_marshal(closure) { closure, result, _, arguments, _, _ in
            guard let box = closure?.pointee.data, let arguments else { return }
            let handler = Unmanaged<SignalHandler>.fromOpaque(box).takeUnretainedValue().handler
            handler(SignalCall(arguments: arguments, result: result))
        }
        g_signal_connect_closure(gobject, signal, closure, 0)
    }

    private final class SignalHandler: Sendable {
        let handler: @Sendable (SignalCall) -> Void
        init(_ handler: @escaping @Sendable (SignalCall) -> Void) { self.handler = handler }
    }

    /// Sets the comment in the tags of a muxer.
    package func set(comment: String) {
        var value = GValue()
        g_value_init(&value, FundamentalType.string)
        g_value_set_string(&value, comment)
        gst_tag_setter_add_tag_value(OpaquePointer(pointer), GST_TAG_MERGE_REPLACE, GST_TAG_COMMENT, &value)
        g_value_unset(&value)
    }

    package func post(_ structure: OwnedStructure) {
        guard let copy = gst_structure_copy(structure.pointer) else { return }
        gst_element_post_message(pointer, gst_message_new_element(object, copy))
    }

    package static func isInstalled(_ kind: String) -> Bool {
        guard let factory = gst_element_factory_find(kind) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        return true
    }

    package func has(_ property: String) -> Bool {
        g_object_class_find_property(objectClass, property) != nil
    }

    /// Returns `nil` if there is no static pad and no existing request pad of this name.
    package func pad(_ name: String) -> Pad? { gst_element_get_static_pad(pointer, name).map(Pad.init) }

    /// Requests a new pad, for example from a muxer. Returns `nil` if the element refuses.
    package func requestPad(_ template: String) -> Pad? {
        gst_element_request_pad_simple(pointer, template).map(Pad.init)
    }

    package func releasePad(_ pad: Pad) { gst_element_release_request_pad(pointer, pad.pointer) }

    /// Sets the element to the state of the pipeline. Use it after the element was added to a running pipeline.
    package func followState() { gst_element_sync_state_with_parent(pointer) }

    /// Sets the file of a source or sink element. Unlike a pipeline description, this works for any file name.
    package func setFile(_ path: String) { setAddress(FileAddress.of(path)) }

    package func setAddress(_ address: String) {
        let handler = OpaquePointer(pointer)
        PathText.withSystemPath(address) { _ = gst_uri_handler_set_uri(handler, $0, nil) }
    }

    var object: UnsafeMutablePointer<GstObject> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstObject.self)
    }

    package var gobject: UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self)
    }

    var objectClass: UnsafeMutablePointer<GObjectClass> {
        UnsafeMutableRawPointer(pointer.typeInstance.pointee.g_class).assumingMemoryBound(to: GObjectClass.self)
    }
}

/// One emission of a signal. Valid only during the call of the handler.
package struct SignalCall {
    fileprivate let arguments: UnsafePointer<GValue>
    /// The return value of the signal; `nil` if it has none.
    package let result: UnsafeMutablePointer<GValue>?

    /// Returns a new reference to an argument, which the caller owns. The first argument is the element itself.
    package func object<Object>(_ number: Int) -> UnsafeMutablePointer<Object> {
        g_value_dup_object(arguments + number).assumingMemoryBound(to: Object.self)
    }

    package func caps(_ number: Int) -> UnsafeMutablePointer<GstCaps> {
        g_value_get_boxed(arguments + number).assumingMemoryBound(to: GstCaps.self)
    }
}

package final class OwnedStructure {
    package let pointer: UnsafeMutablePointer<GstStructure>
    init(_ pointer: UnsafeMutablePointer<GstStructure>) { self.pointer = pointer }
    deinit { gst_structure_free(pointer) }

    package convenience init(named name: String) { self.init(gst_structure_new_empty(name)) }

    /// Creates a copy of a structure, to which fields can be added. The structure of a bus message itself is immutable.
    package convenience init(copying other: UnsafePointer<GstStructure>) { self.init(gst_structure_copy(other)) }

    package func set(_ field: String, to text: String) {
        var value = GValue()
        g_value_init(&value, FundamentalType.string)
        g_value_set_string(&value, text)
        gst_structure_take_value(pointer, field, &value)
    }

    package func set(_ field: String, to number: UInt32) {
        var value = GValue()
        g_value_init(&value, FundamentalType.uint)
        g_value_set_uint(&value, number)
        gst_structure_take_value(pointer, field, &value)
    }

    package func set(_ field: String, to number: UInt64) {
        var value = GValue()
        g_value_init(&value, FundamentalType.uint64)
        g_value_set_uint64(&value, guint64(number))
        gst_structure_take_value(pointer, field, &value)
    }
}

/// Converts between file names and `file://` URIs. A `file://` URI can represent every file name.
package enum FileAddress {
    package static func of(_ path: String) -> String {
        PathText.withSystemPath(path) { String(freeing: gst_filename_to_uri($0, nil)) } ?? path
    }

    /// Returns the file name of a `file://` URI; `nil` if the URI is invalid.
    package static func path(of address: String) -> String? {
        guard let path = g_filename_from_uri(address, nil, nil) else { return nil }
        defer { g_free(path) }
        return PathText.text(ofSystemPath: path)
    }
}

/// Sets properties from user input of the form NAME=VALUE. An unknown property and an invalid value are reported as
/// errors. The GStreamer function that ``Element/set(_:to:)`` uses would silently ignore them.
package enum PropertySetting {
    /// Returns `NAME=VALUE` with dashes instead of underscores in the name. GObject accepts both.
    package static func canonical(_ word: String) -> String {
        let name = word.prefix { $0 != "=" }
        return String(name).replacing("_", with: "-") + word.dropFirst(name.count)
    }

    /// - Throws: ``PlaybackError`` if the property does not exist or rejects the value.
    package static func set(_ word: String, of element: Element) throws {
        let kind = element.kind
        guard let equals = word.firstIndex(of: "=") else {
            throw PlaybackError("'\(word)' is not NAME=VALUE with a property of \(kind)", isUsage: true)
        }
        let name = String(word[..<equals])
        guard let about = specification(name, of: element) else {
            guard !element.has(name) else {
                throw PlaybackError("the property '\(name)' of \(kind) is read-only", isUsage: true)
            }
            let hint = spellingSuggestion(for: name, in: names(of: element)).map { "; \($0)" }
            throw PlaybackError(
                "\(kind) has no property '\(name)'\(hint ?? ": gst-inspect-1.0 \(kind) lists them")", isUsage: true)
        }
        try set(about, to: String(word[word.index(after: equals)...]), of: element)
    }

    /// The names of the writable properties of `swiftodt`; empty if GStreamer does not find the element.
    package static var namesOfSwiftodt: [String] {
        guard (try? PluginSearch.start()) != nil, let element = gst_element_factory_make("swiftodt", nil)
        else { return [] }
        // `gst_object_ref_sink` takes ownership of the floating reference.
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

    /// Returns `nil` if the element has no writable property of this name.
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
        if g_type_is_a(about.pointee.value_type, FundamentalType.string) != 0 {
            // The text is set literally. GStreamer's parser would interpret quotes and backslashes in it.
            g_value_set_string(&value, text)
        } else if gst_value_deserialize_with_pspec(&value, text, about) == 0
            || g_param_value_validate(about, &value) != 0
        {
            throw PlaybackError(
                "'\(text)' is not a valid value of \(name): "
                    + (validValues(of: about) ?? "see gst-inspect-1.0 \(element.kind)"), isUsage: true)
        }
        g_object_set_property(element.gobject, name, &value)
    }

    /// Returns the range or the choices of a property for an error message; `nil` for other types of properties.
    private static func validValues(of about: UnsafeMutablePointer<GParamSpec>) -> String? {
        let type = about.pointee.value_type
        func bounds<Spec, Number>(_ spec: Spec.Type, _ low: KeyPath<Spec, Number>, _ high: KeyPath<Spec, Number>)
            -> String
        {
            let spec = UnsafeMutableRawPointer(about).assumingMemoryBound(to: Spec.self)
            return "it must be from \(spec.pointee[keyPath: low]) to \(spec.pointee[keyPath: high])"
        }
        switch g_type_fundamental(type) {
        case FundamentalType.boolean: return "use true or false"
        case FundamentalType.int: return bounds(GParamSpecInt.self, \.minimum, \.maximum)
        case FundamentalType.uint: return bounds(GParamSpecUInt.self, \.minimum, \.maximum)
        case FundamentalType.int64: return bounds(GParamSpecInt64.self, \.minimum, \.maximum)
        case FundamentalType.uint64: return bounds(GParamSpecUInt64.self, \.minimum, \.maximum)
        case FundamentalType.double: return bounds(GParamSpecDouble.self, \.minimum, \.maximum)
        case FundamentalType.enumeration:
            let kind = g_type_class_ref(type)
            defer { g_type_class_unref(kind) }
            let values = kind?.assumingMemoryBound(to: GEnumClass.self).pointee
            let names = (0..<Int(values?.n_values ?? 0)).compactMap { values?.values[$0].value_nick }
            return "use " + names.map { String(cString: $0) }.joined(separator: ", ")
        default: return nil
        }
    }
}
