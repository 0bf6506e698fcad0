import Playback

/// Examines the video decoders.
@Sendable func examineDecoders() -> [Finding] {
    let kinds = [
        ("H.264", "video/x-h264"), ("H.265", "video/x-h265"), ("VP8", "video/x-vp8"), ("VP9", "video/x-vp9"),
        ("AV1", "video/x-av1"), ("MPEG-4", "video/mpeg, mpegversion=4"), ("MPEG-2", "video/mpeg, mpegversion=2"),
        ("JPEG", "image/jpeg"),
    ]
    let readable = kinds.filter { !Codecs.decoders(of: $0.1).isEmpty }.map(\.0)
    let others = kinds.map(\.0).filter { !readable.contains($0) }
    guard !readable.isEmpty else {
        return [.missing("decoders", "no video decoder is installed", remedy: remedy)]
    }
    let detail = readable.joined(separator: ", ")
    guard others.isEmpty else {
        return [.limited("decoders", "\(detail); not \(others.joined(separator: ", "))", remedy: remedy)]
    }
    return [.fine("decoders", detail)]
}

/// Examines the H.264 encoders and the muxers.
@Sendable func examineEncoders() -> [Finding] {
    let encoders = Codecs.encoders(to: "video/x-h264")
    let muxers = ["mp4mux", "matroskamux"].filter(Element.isThere)
    guard !encoders.isEmpty, !muxers.isEmpty else {
        let lacking = [encoders.isEmpty ? "no H.264 encoder" : nil, muxers.isEmpty ? "no muxer" : nil]
        return [
            .missing(
                "encoders",
                "\(lacking.compactMap(\.self).joined(separator: " and ")): videos cannot be recorded",
                remedy: remedy)
        ]
    }
    return [.fine("encoders", "H.264 by \(encoders.joined(separator: ", ")); \(muxers.joined(separator: ", "))")]
}

private let remedy =
    "install gstreamer1.0-plugins-good, gstreamer1.0-plugins-bad, gstreamer1.0-plugins-ugly and gstreamer1.0-libav"
