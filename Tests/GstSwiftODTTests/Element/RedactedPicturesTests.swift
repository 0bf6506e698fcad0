import CODTGStreamer
import CODTGStreamerCheck
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Tests that redaction withdraws pictures in tags, tables of contents and descriptions of streams.
@Suite struct RedactedPicturesTests {
    private static func source() -> DetectionSource { .detector(ScriptedDetector(script: { _ in [] })) }

    private static func tagsWithPictures() throws -> UnsafeMutablePointer<GstTagList> {
        let tags = try #require(gst_tag_list_new_from_string("taglist, title=(string)street"))
        var value = GValue()
        g_value_init(&value, gst_sample_get_type())
        let buffer = gst_buffer_new_allocate(nil, 10, nil)
        g_value_take_boxed(&value, UnsafeRawPointer(gst_sample_new(buffer, nil, nil, nil)))
        ElementHarness.release(buffer)
        for name in [GST_TAG_IMAGE, GST_TAG_PREVIEW_IMAGE, GST_TAG_APPLICATION_DATA] {
            gst_tag_list_add_value(tags, GST_TAG_MERGE_REPLACE, name, &value)
        }
        g_value_unset(&value)
        return tags
    }

    /// Sends a table of contents that has pictures in a nested entry.
    private static func sendContents(to harness: ElementHarness) throws {
        let contents = try #require(gst_toc_new(GST_TOC_SCOPE_GLOBAL))
        let (edition, chapter) = (
            gst_toc_entry_new(GST_TOC_ENTRY_TYPE_EDITION, "1"), gst_toc_entry_new(GST_TOC_ENTRY_TYPE_CHAPTER, "2")
        )
        gst_toc_entry_set_tags(chapter, try tagsWithPictures())
        gst_toc_entry_append_sub_entry(edition, chapter)
        gst_toc_append_entry(contents, edition)
        gst_harness_push_event(harness.harness, gst_event_new_toc(contents, 0))
        gst_mini_object_unref(UnsafeMutableRawPointer(contents).assumingMemoryBound(to: GstMiniObject.self))
    }

    /// Returns the tags of the chapter that downstream has received, as numbers of titles and pictures.
    private static func receivedChapter(_ harness: ElementHarness) throws -> (titles: Int, pictures: Int) {
        let event = try #require(gst_pad_get_sticky_event(harness.harness.pointee.sinkpad, GST_EVENT_TOC, 0))
        defer { gst_event_unref(event) }
        var contents: OpaquePointer?
        gst_event_parse_toc(event, &contents, nil)
        let toc = try #require(contents)
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(toc).assumingMemoryBound(to: GstMiniObject.self)) }
        let tags = gst_toc_entry_get_tags(gst_toc_find_entry(toc, "2"))
        return (
            Int(gst_tag_list_get_tag_size(tags, GST_TAG_TITLE)), Int(gst_tag_list_get_tag_size(tags, GST_TAG_IMAGE))
        )
    }

    @Test(arguments: [("box-style=blur", 0), ("", 1)])
    func redactionRemovesPicturesFromTableOfContents(properties: String, pictures: Int) throws {
        let harness = ElementHarness("look-ahead=1 strategy=every-frame \(properties)", source: { Self.source() })
        harness.setCaps()
        try Self.sendContents(to: harness)
        #expect(try Self.receivedChapter(harness) == (1, pictures))
    }

    /// Downstream elements keep the tags that were sent before.
    @Test func redactionWithdrawsPicturesSentBefore() throws {
        let harness = ElementHarness("look-ahead=1 strategy=every-frame", source: { Self.source() })
        harness.setCaps()
        gst_harness_push_event(harness.harness, gst_event_new_tag(try Self.tagsWithPictures()))
        try Self.sendContents(to: harness)
        harness.push(harness.buffer(0))
        #expect(try Self.receivedChapter(harness) == (1, 1))
        harness.set("box-style", "blur")
        harness.push(harness.buffer(1))
        #expect(try Self.receivedChapter(harness) == (1, 0))
        let event = try #require(gst_pad_get_sticky_event(harness.harness.pointee.sinkpad, GST_EVENT_TAG, 0))
        defer { gst_event_unref(event) }
        var tags: UnsafeMutablePointer<GstTagList>?
        gst_event_parse_tag(event, &tags)
        #expect(gst_tag_list_get_tag_size(tags, GST_TAG_TITLE) == 1)
        #expect(gst_tag_list_n_tags(tags) == 1)
        #expect(gst_pad_get_sticky_event(harness.harness.pointee.sinkpad, GST_EVENT_TAG, 1) == nil)
    }

    /// Sends a stream that has pictures in its tags, in a STREAM_START event and a collection. The caller owns the
    /// result.
    private static func sendStream(to harness: ElementHarness) throws -> UnsafeMutablePointer<GstStream> {
        let (caps, tags) = (try #require(gst_caps_from_string("video/x-h264")), try tagsWithPictures())
        let stream = try #require(gst_stream_new("street", caps, GST_STREAM_TYPE_VIDEO, GST_STREAM_FLAG_SELECT))
        gst_stream_set_tags(stream, tags)
        gst_caps_unref(caps)
        gst_tag_list_unref(tags)
        let start = try #require(gst_event_new_stream_start("street"))
        gst_event_set_stream(start, stream)
        gst_event_set_group_id(start, 7)
        gst_event_set_stream_flags(start, GST_STREAM_FLAG_SPARSE)
        gst_event_set_seqnum(start, 1234)
        gst_harness_push_event(harness.harness, start)
        let collection = try #require(gst_stream_collection_new("file"))
        gst_stream_collection_add_stream(
            collection, gst_object_ref(stream).assumingMemoryBound(to: GstStream.self))
        gst_harness_push_event(harness.harness, gst_event_new_stream_collection(collection))
        gst_object_unref(collection)
        return stream
    }

    /// Checks the streams that downstream has received in STREAM_START and STREAM_COLLECTION.
    private static func checkStreams(
        _ harness: ElementHarness, original: UnsafeMutablePointer<GstStream>, isRedacted: Bool
    ) throws {
        let sink = harness.harness.pointee.sinkpad
        let start = try #require(gst_pad_get_sticky_event(sink, GST_EVENT_STREAM_START, 0))
        defer { gst_event_unref(start) }
        let list = try #require(gst_pad_get_sticky_event(sink, GST_EVENT_STREAM_COLLECTION, 0))
        defer { gst_event_unref(list) }
        var (group, flags) = (guint(0), GST_STREAM_FLAG_NONE)
        gst_event_parse_group_id(start, &group)
        gst_event_parse_stream_flags(start, &flags)
        #expect(group == 7 && flags.rawValue == GST_STREAM_FLAG_SPARSE.rawValue)
        #expect(gst_event_get_seqnum(start) == 1234)
        var first: UnsafeMutablePointer<GstStream>?
        gst_event_parse_stream(start, &first)
        defer { gst_object_unref(first) }
        var collection: UnsafeMutablePointer<GstStreamCollection>?
        gst_event_parse_stream_collection(list, &collection)
        defer { gst_object_unref(collection) }
        #expect(gst_stream_collection_get_upstream_id(collection).map { String(cString: $0) } == "file")
        #expect(gst_stream_collection_get_size(collection) == 1)
        for stream in [first, gst_stream_collection_get_stream(collection, 0)] {
            let stream = try #require(stream)
            #expect((stream != original) == isRedacted)
            #expect(gst_stream_get_stream_id(stream).map { String(cString: $0) } == "street")
            #expect(gst_stream_get_stream_type(stream).rawValue == GST_STREAM_TYPE_VIDEO.rawValue)
            #expect(gst_stream_get_stream_flags(stream).rawValue == GST_STREAM_FLAG_SELECT.rawValue)
            let (caps, tags) = (gst_stream_get_caps(stream), try #require(gst_stream_get_tags(stream)))
            #expect(GstText.of(caps) == "video/x-h264")
            #expect(gst_tag_list_get_tag_size(tags, GST_TAG_TITLE) == 1)
            for name in [GST_TAG_IMAGE, GST_TAG_PREVIEW_IMAGE] {
                #expect(gst_tag_list_get_tag_size(tags, name) == (isRedacted ? 0 : 1))
            }
            gst_caps_unref(caps)
            gst_tag_list_unref(tags)
        }
        // Other branches of the pipeline use the original.
        let tags = try #require(gst_stream_get_tags(original))
        #expect(gst_tag_list_get_tag_size(tags, GST_TAG_IMAGE) == 1)
        gst_tag_list_unref(tags)
    }

    @Test(arguments: [("box-style=blur", true), ("", false)])
    func redactionRemovesPicturesFromStreams(properties: String, isRedacted: Bool) throws {
        let harness = ElementHarness("look-ahead=1 strategy=every-frame \(properties)", source: { Self.source() })
        harness.setCaps()
        let stream = try Self.sendStream(to: harness)
        defer { gst_object_unref(stream) }
        try Self.checkStreams(harness, original: stream, isRedacted: isRedacted)
    }

    /// A parser sets the tags of its stream after it has sent the stream.
    @Test func pictureOfLaterTagDoesNotReachStreamDownstream() throws {
        let harness = ElementHarness("look-ahead=1 strategy=every-frame box-style=blur", source: { Self.source() })
        harness.setCaps()
        let stream = try #require(gst_stream_new("street", nil, GST_STREAM_TYPE_VIDEO, GST_STREAM_FLAG_NONE))
        defer { gst_object_unref(stream) }
        let start = try #require(gst_event_new_stream_start("street"))
        gst_event_set_stream(start, stream)
        gst_harness_push_event(harness.harness, start)
        let tags = try Self.tagsWithPictures()
        gst_stream_set_tags(stream, tags)
        gst_tag_list_unref(tags)
        let received = try #require(gst_pad_get_stream(harness.harness.pointee.sinkpad))
        defer { gst_object_unref(received) }
        #expect(gst_stream_get_tags(received) == nil)
    }

    /// A pad forgets its tags when it receives STREAM_START again.
    @Test func redactionWithdrawsPicturesOfStreamsOnce() throws {
        let harness = ElementHarness("look-ahead=1 strategy=every-frame", source: { Self.source() })
        harness.setCaps()
        let stream = try Self.sendStream(to: harness)
        defer { gst_object_unref(stream) }
        let title = gst_tag_list_new_from_string("taglist, title=(string)street")
        gst_harness_push_event(harness.harness, gst_event_new_tag(title))
        harness.push(harness.buffer(0))
        try Self.checkStreams(harness, original: stream, isRedacted: false)
        var starts = 0
        for (number, style) in ["blur", "rectangle", "pixelate"].enumerated() {
            while let event = gst_harness_try_pull_event(harness.harness) { gst_event_unref(event) }
            harness.set("box-style", style)
            harness.push(harness.buffer(number + 1))
            try Self.checkStreams(harness, original: stream, isRedacted: true)
            while let event = gst_harness_try_pull_event(harness.harness) {
                if event.pointee.type == GST_EVENT_STREAM_START { starts += 1 }
                gst_event_unref(event)
            }
        }
        #expect(starts == 1)
        let sink = harness.harness.pointee.sinkpad
        let event = try #require(gst_pad_get_sticky_event(sink, GST_EVENT_TAG, 0))
        gst_event_unref(event)
        #expect(gst_pad_has_current_caps(sink) != 0)
    }

    /// The cover of a file can be a frame of its video.
    @Test(arguments: [("box-style=blur", false), ("", true)])
    func redactionRemovesPicturesFromTags(properties: String, hasPicture: Bool) throws {
        let harness = ElementHarness("look-ahead=1 strategy=every-frame \(properties)", source: { Self.source() })
        harness.setCaps()
        gst_harness_push_event(harness.harness, gst_event_new_tag(try Self.tagsWithPictures()))
        var found: UnsafeMutablePointer<GstTagList>?
        while let event = gst_harness_try_pull_event(harness.harness) {
            if event.pointee.type == GST_EVENT_TAG { gst_event_parse_tag(event, &found) }
            let isLast = found != nil
            if isLast { break }
        }
        let list = try #require(found)
        #expect(gst_tag_list_get_tag_size(list, GST_TAG_TITLE) == 1)
        #expect((gst_tag_list_get_tag_size(list, GST_TAG_IMAGE) == 1) == hasPicture)
        #expect((gst_tag_list_get_tag_size(list, GST_TAG_PREVIEW_IMAGE) == 1) == hasPicture)
    }
}
