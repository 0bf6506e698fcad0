import CGStreamer
import SwiftODT

/// What elements upstream have done about the orientation that the stream's tag asks for.
///
/// `videoflip` and its like turn the picture and pass the tag on as it came, from GStreamer 1.0 to this day: who believes the
/// tag after them turns the picture once more. So all elements from here back to where the tag comes from are looked over
/// for those that turn pictures (`GstVideoDirection`), and what they did is taken off what the tag asks for. One that gives
/// out another tag than it got is believed.
struct UpstreamOrientation {
    /// What was done to the picture after its tag was written, all together.
    private(set) var turn = Orientation.identity
    /// Who did it, by name.
    private(set) var rotatingElements: [String] = []

    private typealias Pad = UnsafeMutablePointer<GstPad>

    /// More elements than any pipeline has in a row.
    private static let furthest = 500

    /// Nothing was done.
    init() {}

    /// - Parameters:
    ///   - pad: a sink pad.
    ///   - tagged: what the tags ask for that have come to it.
    init(before pad: UnsafeMutablePointer<GstPad>, tagged: Orientation) {
        var sink: Pad? = Self.retained(pad)
        for _ in 0..<Self.furthest {
            guard let source = sink.flatMap(gst_pad_get_peer) else { break }
            defer { gst_object_unref(source) }
            gst_object_unref(sink)
            sink = Self.feeder(of: source)
            guard let before = sink, OrientationTag(of: before).orientation == tagged else { break }
            guard let rotatingElement = Self.rotatingElement(of: source) else { continue }
            note(rotatingElement, tagged: tagged)
        }
        if let sink { gst_object_unref(sink) }
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
        // Met on the way back: it was done before what was met until now.
        turn = turn.following(own)
        rotatingElements.append(rotatingElement.pointee.name.map { String(cString: $0) } ?? "an element upstream")
    }

    // MARK: The way back

    /// The element that a source pad belongs to, where it is one that turns pictures.
    private static func rotatingElement(of source: Pad) -> UnsafeMutablePointer<GstObject>? {
        guard let parent = source.pointee.object.parent else { return nil }
        let instance = UnsafeMutableRawPointer(parent).assumingMemoryBound(to: GTypeInstance.self)
        return g_type_check_instance_is_a(instance, gst_video_direction_get_type()) != 0 ? parent : nil
    }

    /// The one sink pad that the data of a source pad comes from, or the way into the bin that it stands for; `nil` at
    /// sources and where several streams become one. Belongs to the caller.
    private static func feeder(of source: Pad) -> Pad? {
        // What a bin that turns pictures has inside is its own affair.
        if let rotatingElement = rotatingElement(of: source), let sink = gst_element_get_static_pad(element(rotatingElement), "sink") {
            return sink
        }
        guard let links = gst_pad_iterate_internal_links(source) else { return nil }
        defer { gst_iterator_free(links) }
        var pads: [Pad] = []
        var item = GValue()
        while pads.count < 2, gst_iterator_next(links, &item) == GST_ITERATOR_OK {
            if let pad = g_value_dup_object(&item) { pads.append(pad.assumingMemoryBound(to: GstPad.self)) }
            g_value_unset(&item)
        }
        guard pads.count == 1 else {
            for pad in pads { gst_object_unref(pad) }
            return nil
        }
        return pads[0]
    }

    private static func element(_ object: UnsafeMutablePointer<GstObject>) -> UnsafeMutablePointer<GstElement> {
        UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstElement.self)
    }

    private static func retained(_ pad: Pad) -> Pad { gst_object_ref(pad).assumingMemoryBound(to: GstPad.self) }
}

extension OrientationTag {
    /// As the tags say that have come through a pad.
    init(of pad: UnsafeMutablePointer<GstPad>) {
        self.init()
        var number: UInt32 = 0
        while let event = gst_pad_get_sticky_event(pad, GST_EVENT_TAG, number) {
            defer {
                gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
            }
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if let tags { notice(tags) }
            number += 1
        }
    }
}
