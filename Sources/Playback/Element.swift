import CGStreamer

/// An owned reference to an element of a pipeline.
///
/// `@unchecked Sendable`: all functions called here are synchronized by GStreamer's own locks.
public final class Element: @unchecked Sendable {
    public let pointer: UnsafeMutablePointer<GstElement>

    /// Takes ownership of the caller's reference.
    public init(_ pointer: UnsafeMutablePointer<GstElement>) { self.pointer = pointer }

    deinit { gst_object_unref(pointer) }

    public var name: String { ErrorText.name(of: object) }

    /// The factory name, as used in a pipeline description.
    public var kind: String {
        guard let factory = gst_element_get_factory(pointer) else { return name }
        let feature = UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self)
        return ErrorText.name(of: feature)
    }

    /// Sets a property from its textual form, as gst-launch-1.0 does. Invalid values are ignored, so use
    /// ``PropertySetting`` for input from users.
    public func set(_ property: String, to value: String) {
        PathText.withSystemPath(value) { gst_util_set_object_arg(gobject, property, $0) }
    }

    /// Returns the value of a property in GStreamer's textual form.
    public func text(of property: String) -> String {
        var value = GValue()
        g_object_get_property(gobject, property, &value)
        defer { g_value_unset(&value) }
        guard let text = gst_value_serialize(&value) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Returns a copy of the value of a property of type `GstStructure`.
    public func structure(of property: String) -> OwnedStructure? {
        var value = GValue()
        g_object_get_property(gobject, property, &value)
        defer { g_value_unset(&value) }
        guard value.g_type == gst_structure_get_type(), let structure = gst_value_get_structure(&value) else {
            return nil
        }
        return gst_structure_copy(structure).map(OwnedStructure.init)
    }

    /// Returns whether GStreamer has an element factory of this name.
    public static func isThere(_ kind: String) -> Bool {
        guard let factory = gst_element_factory_find(kind) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        return true
    }

    /// Returns whether the element has a property of this name.
    public func has(_ property: String) -> Bool {
        g_object_class_find_property(objectClass, property) != nil
    }

    /// Returns a static pad, or a request pad that already exists.
    public func pad(_ name: String) -> Pad? { gst_element_get_static_pad(pointer, name).map(Pad.init) }

    /// Requests a new pad, for example from a muxer; `nil` if the element refuses.
    public func requestPad(_ template: String) -> Pad? {
        gst_element_request_pad_simple(pointer, template).map(Pad.init)
    }

    /// Releases a pad that was requested with ``requestPad(_:)``.
    public func releasePad(_ pad: Pad) { gst_element_release_request_pad(pointer, pad.pointer) }

    /// Sets the element, which was added to a running pipeline, to the state of the pipeline.
    public func followState() { gst_element_sync_state_with_parent(pointer) }

    /// Sets the file of a source or sink. Unlike a pipeline description, this works for any file name.
    public func setFile(_ path: String) { setAddress(FileAddress.of(path)) }

    public func setAddress(_ address: String) {
        let handler = OpaquePointer(pointer)
        PathText.withSystemPath(address) { _ = gst_uri_handler_set_uri(handler, $0, nil) }
    }

    var object: UnsafeMutablePointer<GstObject> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstObject.self)
    }

    public var gobject: UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self)
    }

    var objectClass: UnsafeMutablePointer<GObjectClass> {
        UnsafeMutableRawPointer(pointer.typeInstance.pointee.g_class).assumingMemoryBound(to: GObjectClass.self)
    }
}

/// An owned `GstStructure`.
public final class OwnedStructure {
    public let pointer: UnsafeMutablePointer<GstStructure>
    init(_ pointer: UnsafeMutablePointer<GstStructure>) { self.pointer = pointer }
    deinit { gst_structure_free(pointer) }
}

/// Converts between file names and file:// URIs, which can represent every file name.
public enum FileAddress {
    public static func of(_ path: String) -> String {
        guard let address = PathText.withSystemPath(path, { gst_filename_to_uri($0, nil) }) else { return path }
        defer { g_free(address) }
        return String(cString: address)
    }

    /// Returns the file of a file:// URI.
    public static func path(of address: String) -> String? {
        guard let path = g_filename_from_uri(address, nil, nil) else { return nil }
        defer { g_free(path) }
        return PathText.text(ofSystemPath: path)
    }
}
