import CODTGStreamer
import ODTTestSupport
import Testing

@testable import ODTPlayback

/// Errors name the element or the property, where GStreamer reports nothing or too much.
@Suite struct PipelineTests {
    init() { gst_init(nil, nil) }

    private func sentence(_ work: () throws -> Void) -> String {
        do { try work() } catch { return "\(error)" }
        return ""
    }

    @Test func missingElementsAreNamed() {
        #expect(sentence { _ = try Pipeline("fakesrc ! nonsense ! fakesink") }.contains("no element nonsense"))
        #expect(sentence { _ = try Pipeline("fakesrc !") }.contains("is not a valid pipeline"))
        #expect(MissingElement.remedy(for: "x264enc").contains("gstreamer1.0-plugins-ugly"))
        #expect(MissingElement.remedy(for: "vp9enc").contains("gstreamer1.0-plugins-good"))
    }

    /// An older GStreamer may lack a property that a description of this package sets.
    @Test(arguments: [false, true])
    func invalidDescriptionIsInvalidInputOnlyIfFromUser(isFromUser: Bool) {
        #expect {
            _ = try Pipeline("fakesrc nonsense=1 ! fakesink", isFromUser: isFromUser)
        } throws: {
            ($0 as? PlaybackError)?.isUsage == isFromUser
        }
    }

    @Test(arguments: [
        "nonsense=1", "num-buffers", "num-buffers=many", "num-buffers=-2", "sizetype=nonsense", "parent=x",
    ])
    func unknownPropertyIsAnError(word: String) throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        #expect(throws: PlaybackError.self) { try PropertySetting.set(word, of: pipeline["source"]) }
    }

    @Test func readOnlyPropertyIsNamedAsSuch() throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        let text = sentence { try PropertySetting.set("last-message=x", of: pipeline["source"]) }
        #expect(text == "the property 'last-message' of fakesrc is read-only")
    }

    @Test func errorsAboutTheContentNameTheFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("in.mp4", "no video")
        let source = try MediaSource(path)
        for (failure, text) in [
            ("typefind: unknown type", "\(path) is not a video: unknown type"),
            ("qtdemux0: no streams", "\(path) is incomplete or damaged: qtdemux0: no streams"),
            (StreamLinker.noVideo, "\(path) contains no video"),
            ("swiftodt: model.onnx is damaged", "swiftodt: model.onnx is damaged"),
        ] {
            var ending = Player.Ending(
                failure: failure, isRaisedBySwiftODT: failure.hasPrefix("swiftodt"), reason: .invalidFile)
            source.explain(&ending)
            #expect(ending.failure == text)
        }
        let empty = try folder.write("empty.mp4", "")
        #expect(sentence { _ = try MediaSource(empty) } == "\(empty) is empty")
    }

    @Test func underscoresOfPropertyNamesAreDashes() {
        #expect(PropertySetting.canonical("track_events=a_b=c_d") == "track-events=a_b=c_d")
        #expect(PropertySetting.canonical("no_value") == "no-value")
    }

    /// The duration comes from the file.
    @Test func durationOfBufferCannotOverflow() throws {
        // The active pad of a source would push the source's own segment.
        let pipeline = try Pipeline("fakesrc ! identity name=middle ! fakesink")
        let pad = try #require(pipeline["middle"].pad("src")).pointer
        gst_pad_set_active(pad, 1)
        defer { withExtendedLifetime(pipeline) { _ = gst_pad_set_active(pad, 0) } }
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_pad_push_event(pad, gst_event_new_stream_start("test"))
        gst_pad_push_event(pad, gst_event_new_segment(&segment))
        let buffer = gst_buffer_new()!
        defer { gst_buffer_unref(buffer) }
        (buffer.pointee.pts, buffer.pointee.duration) = (1_000_000_000, .max - 5)
        let times = try #require(Pad.runningTime(of: buffer, at: pad))
        #expect(times.begin == 1_000_000_000 && times.end == .max)
    }

    @Test func stringPropertyIsTakenLiterally() throws {
        let pipeline = try Pipeline("fakesrc ! filesink name=file")
        try PropertySetting.set("location=a \"b\" \\ ! c=d", of: pipeline["file"])
        var value = GValue()
        g_object_get_property(pipeline["file"].gobject, "location", &value)
        #expect(String(cString: g_value_get_string(&value)) == "a \"b\" \\ ! c=d")
        g_value_unset(&value)
        try PropertySetting.set("buffer-mode=unbuffered", of: pipeline["file"])
        #expect(pipeline["file"].text(of: "buffer-mode") == "unbuffered")
    }

    /// A registered encoder may fail because its device is missing or used by another process.
    @Test func failingEncoderIsRejected() {
        #expect(EncoderProbe.succeeds("identity"))
        #expect(!EncoderProbe.succeeds("identity error-after=3"))
        #expect(!EncoderProbe.succeeds("identity drop-probability=1"))
        #expect(!EncoderProbe.succeeds("nonsense"))
    }

    /// A filter replaces subtitles in markup by plain text, so its pad must accept markup although the muxer does not.
    @Test func replacedBuffersKeepTheirCaps() throws {
        let pipeline = try Pipeline("queue name=way ! capsfilter caps=text/x-raw,format=utf8 ! fakesink")
        let entry = try #require(pipeline["way"].pad("sink"))
        let marked = try #require(gst_caps_from_string("text/x-raw, format=pango-markup"))
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(marked).assumingMemoryBound(to: GstMiniObject.self)) }
        #expect(gst_pad_query_accept_caps(entry.pointer, marked) == 0)
        entry.acceptAllCaps()
        #expect(gst_pad_query_accept_caps(entry.pointer, marked) != 0)
    }

    @Test func messagesAreWrittenAsJSONLines() {
        let text =
            "swiftodt, time=(guint64)18446744073709551615, id=(guint64)7, label=(string)\"a \\\"b\\\"\", n=(int)-1, ok=(boolean)true, "
            + "score=(double)0.5, objects=(structure){ [ object, x=(uint)3; ] };"
        var end: UnsafeMutablePointer<gchar>?
        let structure = gst_structure_from_string(text, &end)!
        defer { gst_structure_free(structure) }
        #expect(
            MessageText.line(structure)
                == "{\"message\": \"swiftodt\", \"time\": null, \"id\": 7, \"label\": \"a \\\"b\\\"\", "
                + "\"n\": -1, \"ok\": true, \"score\": 0.5, \"objects\": [{\"x\": 3}]}\n")
        let fields = MessageFields(structure)
        #expect(fields.count("time") == nil)
        #expect(fields.list("objects").first?.count("x") == 3)
    }

    @Test func addressesAreDistinguishedFromFiles() throws {
        #expect(MediaSource.isAddress("rtsp://camera/1"))
        #expect(!MediaSource.isAddress("a b://c"))
        #expect(!MediaSource.isAddress("/dev/video0"))
        #expect(sentence { _ = try MediaSource("/nowhere.mp4") } == "no such file: /nowhere.mp4")
        #expect(sentence { _ = try MediaSource("/tmp") } == "/tmp is a folder")
        #expect(sentence { _ = try MediaSource("rtspx://c/1") }.hasPrefix("GStreamer has no source for rtspx:// "))
        #expect(FileAddress.path(of: FileAddress.of("/tmp/a b%20?#\u{fc}")) == "/tmp/a b%20?#\u{fc}")
    }

    @Test func errorOfSourceNamesAddressAndRemedy() throws {
        let source = try MediaSource("http://admin:secret@camera/1")
        let failed = source.explained("source: Could not open resource.\nFailed to connect")
        #expect(failed?.hasPrefix("cannot play http://camera/1: Failed to connect; check the address") == true)
        let refused = source.explained("source: Unauthorized\nUnauthorized (401)")
        #expect(refused?.hasSuffix("; check the user name and the password") == true)
        #expect(source.explained("decoder: no data") == nil)
    }

    @Test func errorOfSourceHasNoPassword() throws {
        let address = "http://admin:secret@camera/1?key=secret"
        let failed = try MediaSource(address).explained(
            "source: Error\nFailed (7), URL: \(address), Redirect to: (NULL)")
        let cause = "Failed (7), URL: http://camera/1, Redirect to: (NULL)"
        #expect(failed?.hasPrefix("cannot play http://camera/1: \(cause); ") == true)
    }

    /// The characters of these passwords should be escaped, but users do not know that.
    @Test(arguments: [
        "12'secret", "se cret", "se<cret", "/secret", "se/cret", "12/secret", "se:cret", "se?cret", "12?secret",
        "12#secret",
    ])
    func nameOfSourceHasNoPassword(_ password: String) throws {
        let name = try MediaSource("rtsp://admin:\(password)@camera:554/1").addressWithoutPassword
        #expect(!name.contains("cret") && !name.contains("admin"), "\(name)")
    }
}
