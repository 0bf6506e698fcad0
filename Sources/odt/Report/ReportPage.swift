import SwiftODT

/// The web page of a report. The page contains its data and pictures and sends no requests. It is composed from the
/// files in `Resources`.
enum ReportPage {
    /// - Parameters:
    ///   - data: The JSON text of ``ReportData``.
    ///   - frame: The background frame as a JPEG file; `nil` if there is no video.
    ///   - pictures: The best pictures as JPEG files, in the order of the tracks; `nil` for a track without a picture.
    static func html(title: String, data: [UInt8], frame: [UInt8]?, pictures: [[UInt8]?]) -> [UInt8] {
        var page = Array("<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n".utf8)
        page += "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n".utf8
        page += "<meta http-equiv=Content-Security-Policy content=\"\(policy)\">\n".utf8
        page += "<title>\(escaped(title))</title>\n<style>\n".utf8
        page += PackageResources.colours_css + PackageResources.report_css
        page += "</style>\n".utf8
        page += PackageResources.report_html
        page += "<script type=\"application/json\" id=data>".utf8
        // `<` is escaped, because `</script>` in a text would end the script element.
        for byte in data {
            if byte == UInt8(ascii: "<") { page += "\\u003c".utf8 } else { page.append(byte) }
        }
        page += "</script>\n<script type=\"application/json\" id=pictures>{\"frame\":\"".utf8
        page += (frame.map(Base64.text) ?? "").utf8
        page += "\",\"tracks\":[".utf8
        for (place, picture) in pictures.enumerated() {
            page += (place > 0 ? ",\"" : "\"").utf8
            if let picture { page += Base64.text(picture).utf8 }
            page += "\"".utf8
        }
        page += "]}</script>\n<script>\n".utf8
        for part in script { page += part }
        return page + "</script>\n".utf8
    }

    /// The parts of the page's script. Each part precedes the parts that depend on it.
    private static let script = [
        PackageResources.elements_js, PackageResources.data_js, PackageResources.view_js, PackageResources.labels_js,
        PackageResources.counts_js, PackageResources.timeline_js, PackageResources.zones_js, PackageResources.heat_js,
        PackageResources.gallery_js, PackageResources.report_js,
    ]

    /// The Content-Security-Policy of the page. It forbids external resources even if a label contains HTML.
    private static let policy =
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            switch character {
            case "<": text += "&lt;"
            case "&": text += "&amp;"
            default: text.append(character)
            }
        }
    }
}
