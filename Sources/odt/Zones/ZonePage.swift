/// The web page for drawing zones. The page contains the frame and sends no requests. Its parts are the files in
/// `Resources/Zones`.
enum ZonePage {
    /// - Parameters:
    ///   - picture: The frame as a JPEG file.
    ///   - zones: The JSON text of the initial zones; `nil` for none.
    static func html(picture: [UInt8], zones: [UInt8]?) -> [UInt8] {
        let start = zones.map { String(decoding: $0, as: UTF8.self) } ?? "[]"
        // `<` is escaped, because `</script>` in a text would end the script element.
        let safe = start.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
        var page = PackageResources.zones_head_html
        page += "<img id=picture alt=\"a frame of the video\" src=\"data:image/jpeg;base64,".utf8
        page += Base64.text(picture).utf8
        page += "\">".utf8
        page += PackageResources.zones_body_html
        page += "<script>const START = \(safe);\n".utf8
        page += PackageResources.zones_editor_js
        return page + "</script>\n".utf8
    }
}
