/// Finds the Debian package that contains a missing element.
enum MissingElement {
    private static let packages: [(package: String, elements: Set<String>)] = [
        ("gstreamer1.0-plugins-ugly", ["x264enc"]),
        ("gstreamer1.0-libav", ["avenc_aac"]),
        ("gstreamer1.0-plugins-bad", ["h264parse", "openh264enc", "voaacenc"]),
        (
            "gstreamer1.0-plugins-good",
            [
                "aacparse", "jpegenc", "matroskamux", "mp4mux", "mpegaudioparse", "qtmux", "v4l2src", "videocrop",
                "videoflip", "vp8enc", "webmmux",
            ]
        ),
        (
            "gstreamer1.0-plugins-base",
            [
                "audioconvert", "audioresample", "decodebin", "opusenc", "opusparse", "uridecodebin", "videoconvert",
                "vorbisenc",
            ]
        ),
    ]

    static func remedy(for element: String) -> String {
        if element == "swiftodt" {
            return "install gstreamer1.0-swiftodt, or run Pipelines/setup --install in its checkout"
        }
        guard let package = packages.first(where: { $0.elements.contains(element) })?.package else {
            return "gst-inspect-1.0 lists the installed elements"
        }
        return "install its Debian package: apt install \(package)"
    }
}
