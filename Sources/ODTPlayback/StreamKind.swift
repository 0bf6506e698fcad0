import CODTGStreamer
import GstFrames

/// Classifies a stream of the input (sound, subtitles or other) by its caps.
package struct StreamKind {
    package enum Medium { case sound, subtitle, other }

    package let name: String
    package let text: String
    private let structure: UnsafeMutablePointer<GstStructure>?

    /// - Parameter caps: Must outlive this value.
    package init(_ caps: UnsafeMutablePointer<GstCaps>) {
        structure = gst_caps_get_size(caps) > 0 ? gst_caps_get_structure(caps, 0) : nil
        name = structure.map { String(cString: gst_structure_get_name($0)) } ?? ""
        text = String(freeing: gst_caps_to_string(caps)) ?? name
    }

    package var medium: Medium {
        if name.hasPrefix("audio/") { return .sound }
        let subtitles = [
            "text/", "subpicture/", "subtitle/", "closedcaption/", "application/x-ssa", "application/x-ass",
            "application/x-usf",
        ]
        return subtitles.contains(where: name.hasPrefix) ? .subtitle : .other
    }

    /// Returns whether each buffer at this pad holds whole frames, so that the stream can be copied without decoding.
    package func isWhole(from pad: UnsafeMutablePointer<GstPad>) -> Bool {
        // A demuxer may deliver these formats without frame boundaries. Muxers accept them only after a parser.
        let needsParsing = ["audio/mpeg", "audio/x-ac3", "audio/x-eac3", "audio/x-dts", "audio/x-flac"].contains(name)
        if !needsParsing || flag("framed") || flag("parsed") || has("codec_data") || has("streamheader") { return true }
        return Self.isMade(by: "Parser", pad)
    }

    /// The parser element that converts the stream to the form that muxers accept; `nil` if none is needed.
    package var parser: String? {
        // FLAC headers have two forms. The parser produces the form that muxers require.
        if name == "audio/x-flac" { return "flacparse" }
        if has("codec_data") || has("streamheader") { return nil }
        switch name {
        case "audio/mpeg": return number("mpegversion") == 1 ? "mpegaudioparse" : "aacparse"
        case "audio/x-ac3", "audio/x-eac3": return "ac3parse"
        case "audio/x-dts": return "dcaparse"
        case "audio/x-opus": return "opusparse"
        case "audio/x-vorbis": return "vorbisparse"
        default: return nil
        }
    }

    /// The elements that copy sound without the comments in its header, for example a cover picture or a place, if
    /// ``Element/omitTagsInside()`` is called; `nil` if the muxers copy no comments of this format.
    package func commentRemover(soundEncoder: String) -> String? {
        switch name {
        case "audio/x-vorbis": "vorbistag"
        // `flactag` keeps pictures. FLAC is lossless, so the samples stay the same.
        case "audio/x-flac": "flacparse ! flacdec ! audioconvert ! flacenc ! flacparse"
        case "audio/x-speex": "speexdec ! \(soundEncoder)"
        default: nil
        }
    }

    /// Returns whether the pad belongs to a demuxer. If so, the container itself stores this format, and no decoder
    /// produced it.
    package func isOfContainer(_ pad: UnsafeMutablePointer<GstPad>) -> Bool { Self.isMade(by: "Demuxer", pad) }

    /// Returns whether the format is among the caps `taken`, for example those of a muxer's pad. Caps fields that a
    /// parser can change are ignored.
    package func isAmong(_ taken: UnsafeMutablePointer<GstCaps>) -> Bool {
        // AAC in LOAS framing (LATM) is excluded, because no parser converts it to another form.
        guard let structure, MessageFields(structure).text("stream-format") != "loas",
            let plain = gst_structure_copy(structure)
        else { return false }
        for field in ["stream-format", "framed", "parsed", "alignment", "base-profile", "profile", "level"] {
            gst_structure_remove_field(plain, field)
        }
        let caps = gst_caps_new_empty()!
        gst_caps_append_structure(caps, plain)
        defer { gst_caps_unref(caps) }
        return gst_caps_can_intersect(caps, taken) != 0
    }

    // MARK: Fields

    private func has(_ field: String) -> Bool { structure.map { gst_structure_has_field($0, field) != 0 } ?? false }

    private func flag(_ field: String) -> Bool { structure.map { MessageFields($0).flag(field) == true } ?? false }

    private func number(_ field: String) -> Int32? { structure.flatMap { MessageFields($0).signed(field) } }

    /// Returns whether the class (`klass`) of the pad's element contains `kind`, for example `Demuxer`. Ghost pads are
    /// resolved.
    private static func isMade(by kind: String, _ pad: UnsafeMutablePointer<GstPad>) -> Bool {
        var pad = pad
        var held: [Pad] = []
        while g_type_check_instance_is_a(
            UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GTypeInstance.self), gst_ghost_pad_get_type()) != 0
        {
            let ghost = UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GstGhostPad.self)
            guard let inner = gst_ghost_pad_get_target(ghost) else { return false }
            held.append(Pad(inner))
            pad = inner
        }
        guard let element = gst_pad_get_parent_element(pad) else { return false }
        defer { gst_object_unref(element) }
        guard let factory = gst_element_get_factory(element),
            let kinds = gst_element_factory_get_metadata(factory, "klass")
        else { return false }
        return String(cString: kinds).contains(kind)
    }
}
