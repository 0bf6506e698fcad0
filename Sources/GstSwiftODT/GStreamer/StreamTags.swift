import CODTGStreamer
import GstFrames
import SwiftODT

/// The orientation that `image-orientation` tags specify. A tag of stream scope takes precedence over a tag of global
/// scope.
struct OrientationTag {
    private var ofStream: Orientation?
    private var global: Orientation?
    /// The part of the tagged orientation that upstream elements have not applied; `nil` until it is determined.
    private var remaining: Orientation?

    var orientation: Orientation { ofStream ?? global ?? .identity }

    /// Returns the tagged orientation without the part that upstream elements have already applied. The upstream
    /// elements are examined at the first frame after a new tag or new caps.
    mutating func orientation(at element: ElementHandle) -> Orientation {
        if let remaining { return remaining }
        let turns = UpstreamOrientation(before: element.sinkPad, tagged: orientation)
        let left = orientation.following(turns.turn.inverse)
        element.log(
            .info,
            "orientation \(left.nick): the tag is \(orientation.nick)"
                + (turns.rotatingElements.isEmpty
                    ? "" : ", of which \(turns.rotatingElements.joined(separator: " and ")) applied \(turns.turn.nick)")
        )
        remaining = left
        return left
    }

    /// Upstream elements may rotate frames differently after new caps.
    mutating func noticeCaps() { remaining = nil }

    mutating func notice(_ tags: UnsafePointer<GstTagList>) {
        var method = GST_VIDEO_ORIENTATION_IDENTITY
        guard gst_video_orientation_from_tag(UnsafeMutablePointer(mutating: tags), &method) != 0,
            let orientation = Orientation(method)
        else { return }
        remaining = nil
        if gst_tag_list_get_scope(tags) == GST_TAG_SCOPE_GLOBAL { global = orientation } else { ofStream = orientation }
    }
}

/// The part of the tagged orientation that upstream elements have already applied.
///
/// `videoflip` and similar elements rotate the frames but forward the orientation tag unchanged. If this element
/// applied the tag again, the frames would be rotated twice. The elements upstream of this element are therefore
/// searched for the interface `GstVideoDirection`, up to the element from which the tag originates. The orientation
/// changes that they apply are subtracted from the tag. If an element sends another tag than it receives, the tag is
/// assumed to describe the frames that this element sends, so the search ends there.
struct UpstreamOrientation {
    /// The combination of all orientation changes that were applied to the frames after the tag was written.
    private(set) var turn = Orientation.identity
    private(set) var rotatingElements: [String] = []

    init(before pad: UnsafeMutablePointer<GstPad>, tagged: Orientation) {
        guard tagged != .identity else { return }
        UpstreamElements.visitSources(before: pad) { source, sink in
            guard let sink, OrientationTag(of: sink).orientation == tagged else { return false }
            guard let rotatingElement = UpstreamElements.rotatingElement(of: source) else { return true }
            defer { gst_object_unref(rotatingElement) }
            note(rotatingElement, tagged: tagged)
            return true
        }
    }

    private mutating func note(_ rotatingElement: UnsafeMutablePointer<GstObject>, tagged: Orientation) {
        var value = GValue()
        g_value_init(&value, gst_video_orientation_method_get_type())
        defer { g_value_unset(&value) }
        g_object_get_property(
            UnsafeMutableRawPointer(rotatingElement).assumingMemoryBound(to: GObject.self), "video-direction", &value)
        let method = GstVideoOrientationMethod(rawValue: .init(g_value_get_enum(&value)))
        let own = method == GST_VIDEO_ORIENTATION_AUTO ? tagged : Orientation(method) ?? .identity
        guard own != .identity else { return }
        // The search goes upstream, so the change of this element was applied before the changes found so far.
        turn = turn.following(own)
        rotatingElements.append(String(freeing: gst_object_get_name(rotatingElement)) ?? "an element upstream")
    }
}

/// The elements upstream of an element, up to a source or an element that combines several streams.
enum UpstreamElements {
    fileprivate typealias Pad = UnsafeMutablePointer<GstPad>

    /// The maximum number of elements that are searched. The limit matters only if a faulty pad leads back to an
    /// element that was already searched.
    private static let furthest = 500

    /// Returns whether another element of the same type attaches metadata.
    static func containOther(before element: ElementHandle) -> Bool {
        var isFound = false
        visitSources(before: element.sinkPad) { source, _ in
            guard let other = gst_pad_get_parent_element(source) else { return true }
            defer { gst_object_unref(other) }
            isFound = Self.type(of: other) == Self.type(of: element.element) && attachesMetadata(other)
            return !isFound
        }
        return isFound
    }

    private static func type(of element: UnsafeMutablePointer<GstElement>) -> GType {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type
    }

    private static func attachesMetadata(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        var value = GValue()
        defer { g_value_unset(&value) }
        g_object_get_property(
            UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), "attach-meta", &value)
        return g_value_get_flags(&value) != 0
    }

    /// Calls `body` with each source pad upstream of a sink pad, and with the sink pad from which its data comes, until
    /// `body` returns `false`.
    fileprivate static func visitSources(before pad: Pad, _ body: (_ source: Pad, _ sink: Pad?) -> Bool) {
        var sink: Pad? = gst_object_ref(pad).assumingMemoryBound(to: GstPad.self)
        for _ in 0..<furthest {
            guard let source = sink.flatMap(gst_pad_get_peer) else { break }
            defer { gst_object_unref(source) }
            gst_object_unref(sink)
            sink = feeder(of: source)
            guard body(source, sink) else { break }
        }
        if let sink { gst_object_unref(sink) }
    }

    /// The caller owns the result. Elements beyond a queue can be removed at any time.
    fileprivate static func rotatingElement(of source: Pad) -> UnsafeMutablePointer<GstObject>? {
        let pad = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstObject.self)
        guard let parent = gst_object_get_parent(pad) else { return nil }
        let instance = UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GTypeInstance.self)
        if g_type_check_instance_is_a(instance, gst_video_direction_get_type()) != 0 { return parent }
        gst_object_unref(parent)
        return nil
    }

    /// Returns the sink pad from which the data of a source pad comes. For a ghost pad this is the inner pad. Returns
    /// `nil` for the pads of sources and of elements that combine several streams. The caller owns the result.
    private static func feeder(of source: Pad) -> Pad? {
        // A bin that implements `GstVideoDirection` is treated as a single element.
        if let rotatingElement = rotatingElement(of: source) {
            defer { gst_object_unref(rotatingElement) }
            let element = UnsafeMutableRawPointer(rotatingElement).assumingMemoryBound(to: GstElement.self)
            if let sink = gst_element_get_static_pad(element, "sink") { return sink }
        }
        return gst_pad_get_single_internal_link(source)
    }
}

extension OrientationTag {
    init(of pad: UnsafeMutablePointer<GstPad>) {
        self.init()
        var number: UInt32 = 0
        while let event = gst_pad_get_sticky_event(pad, GST_EVENT_TAG, number) {
            defer { gst_event_unref(event) }
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if let tags { notice(tags) }
            number += 1
        }
    }
}

/// Removes binary tags, such as the cover of a file. A cover can show the video without redaction. Tables of contents
/// (TOC) and the streams in STREAM_START and STREAM_COLLECTION events also have tags.
enum BinaryTags {
    private typealias Tags = UnsafeMutablePointer<GstTagList>
    private typealias Stream = UnsafeMutablePointer<GstStream>

    /// Takes ownership of an event and returns one without binary tags.
    static func removed(from event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent> {
        let changed: UnsafeMutablePointer<GstEvent>? =
            switch event.pointee.type {
            case GST_EVENT_TAG: tags(of: event)
            case GST_EVENT_TOC: tableOfContents(of: event)
            case GST_EVENT_STREAM_START: streamStart(of: event)
            case GST_EVENT_STREAM_COLLECTION: streamCollection(of: event)
            default: nil
            }
        guard let changed else { return event }
        gst_event_set_seqnum(changed, gst_event_get_seqnum(event))
        gst_event_unref(event)
        return changed
    }

    /// Sends the tags that a source pad has already sent again, without binary tags. Downstream elements keep the
    /// latest tags and send them again, for example after a link has changed.
    static func withdraw(from pad: UnsafeMutablePointer<GstPad>) {
        // The list is complete before an event is replaced.
        let types = [GST_EVENT_STREAM_START, GST_EVENT_STREAM_COLLECTION, GST_EVENT_TOC, GST_EVENT_TAG]
        let events = types.flatMap { type in
            sequence(state: guint(0)) { number in
                defer { number += 1 }
                return gst_pad_get_sticky_event(pad, type, number)
            }
        }
        var hasRestarted = false
        for event in events {
            let type = event.pointee.type
            let changed = removed(from: event)
            let isChanged = changed != event
            if type == GST_EVENT_STREAM_START { hasRestarted = isChanged }
            // A pad that receives STREAM_START forgets its tags, so all of them are sent again.
            if isChanged || hasRestarted && type == GST_EVENT_TAG {
                gst_pad_push_event(pad, changed)
            } else {
                gst_event_unref(changed)
            }
        }
    }

    /// Returns `nil` if the event has no binary tags.
    private static func tags(of event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
        var tags: Tags?
        gst_event_parse_tag(event, &tags)
        return rest(of: tags).flatMap(gst_event_new_tag)
    }

    /// Returns `nil` if the event has no binary tags.
    private static func tableOfContents(of event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
        var (shared, isUpdated) = (OpaquePointer?.none, gboolean(0))
        gst_event_parse_toc(event, &shared, &isUpdated)
        // The event has a reference, too, so this is a copy.
        guard let shared, let copy = gst_mini_object_make_writable(miniObject(shared)) else { return nil }
        defer { gst_mini_object_unref(copy) }
        let contents = OpaquePointer(copy)
        let rest = rest(of: gst_toc_get_tags(contents))
        if let rest { gst_toc_set_tags(contents, rest) }
        let hadBinaryTags = remove(from: gst_toc_get_entries(contents))
        return rest != nil || hadBinaryTags ? gst_event_new_toc(contents, isUpdated) : nil
    }

    /// Returns whether the entries of a TOC had binary tags.
    private static func remove(from entries: UnsafeMutablePointer<GList>?) -> Bool {
        var hadBinaryTags = false
        var next = entries
        while let item = next {
            defer { next = item.pointee.next }
            let entry = OpaquePointer(item.pointee.data)
            if let rest = rest(of: gst_toc_entry_get_tags(entry)) {
                gst_toc_entry_set_tags(entry, rest)
                hadBinaryTags = true
            }
            hadBinaryTags = remove(from: gst_toc_entry_get_sub_entries(entry)) || hadBinaryTags
        }
        return hadBinaryTags
    }

    // MARK: Streams

    /// Returns `nil` if the event has no stream of upstream.
    private static func streamStart(of event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
        var shared: Stream?
        gst_event_parse_stream(event, &shared)
        guard let shared else { return nil }
        defer { gst_object_unref(shared) }
        let object = UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self)
        guard !isCopy(shared), let copy = gst_mini_object_copy(object) else { return nil }
        let changed = UnsafeMutableRawPointer(copy).assumingMemoryBound(to: GstEvent.self)
        let stream = self.copy(of: shared)
        gst_event_set_stream(changed, stream)
        gst_object_unref(stream)
        return changed
    }

    /// Returns `nil` if the collection has no stream of upstream.
    private static func streamCollection(of event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent>? {
        var shared: UnsafeMutablePointer<GstStreamCollection>?
        gst_event_parse_stream_collection(event, &shared)
        guard let shared else { return nil }
        defer { gst_object_unref(shared) }
        let streams = (0..<gst_stream_collection_get_size(shared)).compactMap {
            gst_stream_collection_get_stream(shared, $0)
        }
        guard !streams.allSatisfy(isCopy) else { return nil }
        let collection = gst_stream_collection_new(gst_stream_collection_get_upstream_id(shared))
        defer { gst_object_unref(collection) }
        // The collection takes ownership of its streams.
        for stream in streams { gst_stream_collection_add_stream(collection, copy(of: stream)) }
        return gst_event_new_stream_collection(collection)
    }

    /// Returns a copy without binary tags, which the caller owns.
    ///
    /// Streams without binary tags are copied, too. A demuxer or parser keeps its stream and sets other tags later, so
    /// the original may get a binary tag after the event has passed. The original is not changed, because other
    /// branches of the pipeline share it.
    private static func copy(of stream: Stream) -> Stream {
        let (caps, tags) = (gst_stream_get_caps(stream), gst_stream_get_tags(stream))
        let copy: Stream = gst_stream_new(
            gst_stream_get_stream_id(stream), caps, gst_stream_get_stream_type(stream),
            gst_stream_get_stream_flags(stream))
        let rest = rest(of: tags)
        gst_stream_set_tags(copy, rest ?? tags)
        if let caps { gst_caps_unref(caps) }
        if let tags { gst_tag_list_unref(tags) }
        if let rest { gst_tag_list_unref(rest) }
        g_object_set_data(object(copy), copyMark, UnsafeMutableRawPointer(copy))
        return copy
    }

    /// Returns whether a stream is a copy without binary tags. It needs no other copy when redaction is switched on
    /// again.
    private static func isCopy(_ stream: Stream) -> Bool { g_object_get_data(object(stream), copyMark) != nil }

    private static let copyMark = "swiftodt-without-binary-tags"

    private static func object(_ stream: Stream) -> UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GObject.self)
    }

    // MARK: Tag lists

    /// Returns a copy without binary tags, which the caller owns; `nil` if there are none.
    private static func rest(of tags: Tags?) -> Tags? {
        guard let tags else { return nil }
        // Binary tags of unknown content can have pictures, for example a maker note of Exif.
        let names = (0..<gst_tag_list_n_tags(tags)).compactMap { gst_tag_list_nth_tag_name(tags, UInt32($0)) }
            .filter { isBinary(gst_tag_get_type($0)) }
        guard !names.isEmpty,
            let copy = gst_mini_object_copy(UnsafeMutableRawPointer(tags).assumingMemoryBound(to: GstMiniObject.self))
        else { return nil }
        let rest = UnsafeMutableRawPointer(copy).assumingMemoryBound(to: GstTagList.self)
        for name in names { gst_tag_list_remove_tag(rest, name) }
        return rest
    }

    private static func isBinary(_ type: GType) -> Bool {
        g_type_fundamental(type) == FundamentalType.boxed && type != gst_date_time_get_type()
            && type != g_date_get_type()
    }

    private static func miniObject(_ pointer: OpaquePointer) -> UnsafeMutablePointer<GstMiniObject> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstMiniObject.self)
    }
}
