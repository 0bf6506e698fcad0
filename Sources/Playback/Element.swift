import CGStreamer

/// One element of a pipeline, held on to.
///
/// GStreamer's own locks guard all that is called here.
public final class Element: @unchecked Sendable {
    public let pointer: UnsafeMutablePointer<GstElement>

    /// Takes over the caller's reference.
    public init(_ pointer: UnsafeMutablePointer<GstElement>) { self.pointer = pointer }

    deinit { gst_object_unref(pointer) }

    public var name: String { ErrorText.name(of: object) }

    /// The name of its kind, as in a description.
    public var kind: String {
        guard let factory = gst_element_get_factory(pointer) else { return name }
        let feature = UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self)
        return ErrorText.name(of: feature)
    }

    /// Sets a property to what GStreamer reads in the text, as gst-launch-1.0 does. For what the program itself says: what
    /// users say goes through ``PropertySetting``.
    public func set(_ property: String, to value: String) {
        PathText.withSystemPath(value) { gst_util_set_object_arg(gobject, property, $0) }
    }

    /// The value of a property, as GStreamer prints it.
    public func text(of property: String) -> String {
        var value = GValue()
        g_object_get_property(gobject, property, &value)
        defer { g_value_unset(&value) }
        guard let text = gst_value_serialize(&value) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The value of a property that is a structure.
    public func structure(of property: String) -> OwnedStructure? {
        var value = GValue()
        g_object_get_property(gobject, property, &value)
        defer { g_value_unset(&value) }
        guard value.g_type == gst_structure_get_type(), let structure = gst_value_get_structure(&value) else {
            return nil
        }
        return gst_structure_copy(structure).map(OwnedStructure.init)
    }

    /// Whether GStreamer has elements of this kind.
    public static func isThere(_ kind: String) -> Bool {
        guard let factory = gst_element_factory_find(kind) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        return true
    }

    /// Whether it has such a property.
    public func has(_ property: String) -> Bool {
        g_object_class_find_property(objectClass, property) != nil
    }

    /// A pad that is always there, or that somebody has asked for.
    public func pad(_ name: String) -> Pad? { gst_element_get_static_pad(pointer, name).map(Pad.init) }

    /// A new pad of a muxer and the like; `nil` where it gives none (any more).
    public func requestPad(_ template: String) -> Pad? {
        gst_element_request_pad_simple(pointer, template).map(Pad.init)
    }

    /// Gives back a pad that was asked for.
    public func releasePad(_ pad: Pad) { gst_element_release_request_pad(pointer, pad.pointer) }

    /// Goes on with what the pipeline does, for an element that was added to it late.
    public func followState() { gst_element_sync_state_with_parent(pointer) }

    /// Gives a file to a source or a sink, whatever its name: descriptions cannot say every name.
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

/// A structure of one's own.
public final class OwnedStructure {
    public let pointer: UnsafeMutablePointer<GstStructure>
    init(_ pointer: UnsafeMutablePointer<GstStructure>) { self.pointer = pointer }
    deinit { gst_structure_free(pointer) }
}

/// Names of files as addresses, in which every name can be said.
public enum FileAddress {
    public static func of(_ path: String) -> String {
        guard let address = PathText.withSystemPath(path, { gst_filename_to_uri($0, nil) }) else { return path }
        defer { g_free(address) }
        return String(cString: address)
    }

    /// The file that an address of the kind file:// leads to.
    public static func path(of address: String) -> String? {
        guard let path = g_filename_from_uri(address, nil, nil) else { return nil }
        defer { g_free(path) }
        return PathText.text(ofSystemPath: path)
    }
}
