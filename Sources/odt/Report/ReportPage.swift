import SwiftODT

/// The web page of a report. The page contains its data and pictures, and loads only clips.
enum ReportPage {
    /// - Parameters:
    ///   - data: The JSON text of ``ReportData``.
    ///   - frame: The background frame as a JPEG file; `nil` if there is no video.
    ///   - pictures: The best pictures as JPEG files, in the order of the tracks; `nil` for a track without a picture.
    ///   - hasClips: Whether the page links to clips. They are the only resources that it may load.
    static func html(title: String, data: [UInt8], hasClips: Bool, frame: [UInt8]?, pictures: [[UInt8]?])
        -> [UInt8]
    {
        var page = Array("<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n".utf8)
        page += "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n".utf8
        page += "<meta http-equiv=Content-Security-Policy content=\"\(policy(hasClips: hasClips))\">\n".utf8
        page += "<title>\(escaped(title))</title>\n<style>\n".utf8
        page += PackageResources.shared_css + PackageResources.report_css
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
        PackageResources.gallery_js, PackageResources.clips_js, PackageResources.report_js,
    ]

    /// The Content-Security-Policy of the page. It forbids external resources even if a label contains HTML.
    private static func policy(hasClips: Bool) -> String {
        let images = hasClips ? "img-src data: 'self'; media-src 'self'" : "img-src data:"
        return "default-src 'none'; \(images); style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    }

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

/// The data of the page as JSON text for the page's script. Tables can have thousands of rows. To keep the text small,
/// a row is an array that refers to labels and sources by index.
struct ReportData {
    let title: String
    let file: String
    let video: String?
    let observations: Observations
    let zones: [Zone]
    let clips: [ReportClip]
    /// Whether the last line of the message file was incomplete.
    let isCutOff: Bool

    /// - Parameter tracks: The tracks of ``observations``, in the order of their pictures on the page.
    func json(_ tracks: [ObservedTrack]) -> [UInt8] {
        let start = observations.span?.lowerBound ?? 0
        var text = Array("{".utf8)
        append(header(start), to: &text)
        text += ",\n\"tracks\":[".utf8
        for (place, track) in tracks.enumerated() {
            if place > 0 { text += ",\n".utf8 }
            append(track, start, to: &text)
        }
        text += "],\n\"heat\":[".utf8
        for (place, (label, map)) in heat.sorted(by: { $0.key < $1.key }).enumerated() {
            if place > 0 { text += ",".utf8 }
            text += "{\"label\":\(label),\"rows\":\(map.rows),\"cells\":[".utf8
            append(map.cells.lazy.map(Double.init), decimals: 2, to: &text)
            text += "]}".utf8
        }
        text += "],\n\"zones\":[".utf8
        for (place, zone) in observations.zones.enumerated() {
            if place > 0 { text += ",\n".utf8 }
            append(zone, start, to: &text)
        }
        text += "],\n\"untracked\":".utf8
        appendUntracked(to: &text)
        return text + "}".utf8
    }

    /// The heat maps. With several sources there are none, because each source has another background.
    private var heat: [Int: HeatMap] { observations.sources.count > 1 ? [:] : observations.heat }

    private func header(_ start: Double) -> [String: JSONValue] {
        let end = observations.span?.upperBound ?? 0
        // Sources can have different sizes.
        let size = observations.sources.count > 1 ? (width: 0, height: 0) : observations.size
        var members: [String: JSONValue] = [
            "title": .string(title), "file": .string(file),
            "results": .number(Double(observations.resultCount)),
            "objects": .number(Double(observations.trackCount)),
            "length": .number(end - start), "isCutOff": .bool(isCutOff),
            "width": .number(Double(size.width)), "height": .number(Double(size.height)),
            "columns": .number(Double(HeatMap.columns)),
            "labels": .array(observations.labels.map(JSONValue.string)),
            "sources": .array(observations.sources.map(JSONValue.string)),
            "models": .array(observations.models.map(JSONValue.string)),
            "categories": .array((0..<5).map { .string(Category(rawValue: $0)?.name ?? "") }),
            "forgotten": .array(
                observations.forgotten.sorted { $0.key < $1.key }.map {
                    .array([.number(Double($0.key)), .number(Double($0.value.count)), .number($0.value.stay)])
                }),
            "shapes": .array(zones.map(shape)),
            "clips": .array(clips.map { clip($0, start) }),
        ]
        if let video { members["video"] = .string(video) }
        if let utc = observations.utc { members["utc"] = .number(((utc + start) * 1000).rounded()) }
        return members
    }

    private func shape(_ zone: Zone) -> JSONValue {
        .object([
            "name": .string(zone.name), "kind": .string(zone.kind.rawValue),
            "points": .array(zone.points.map { .array([.number($0.x), .number($0.y)]) }),
        ])
    }

    /// Returns a clip as an array: source, recording, begin and end in seconds since `start`, video, picture.
    private func clip(_ clip: ReportClip, _ start: Double) -> JSONValue {
        let numbers = [Double(clip.source), Double(clip.recording), clip.began - start, clip.ended - start]
        let picture = clip.picture.map { JSONValue.string($0) } ?? .null
        return .array(numbers.map { .number($0) } + [.string(clip.video), picture, .bool(clip.isH265)])
    }

    private func append(_ members: [String: JSONValue], to text: inout [UInt8]) {
        let whole = JSONValue.object(members).text.utf8
        text += whole.dropFirst().dropLast()
    }

    /// Appends a track as an array: id, label, category, first time, last time, best time, best score, path length,
    /// source, reason, recording, and for several visits an array of their first and last times. Times are in seconds
    /// since `start`. Unknown numbers are -1.
    private func append(_ track: ObservedTrack, _ start: Double, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        append([Double(track.key.id), Double(track.label), Double(track.category)].lazy, decimals: 0, to: &text)
        text.append(UInt8(ascii: ","))
        let best = track.best
        let figures = [track.first - start, track.last - start, (best?.time ?? track.first) - start, best?.score ?? -1]
        append(figures.lazy, decimals: 3, to: &text)
        text.append(UInt8(ascii: ","))
        append([(track.pathLength ?? -1).rounded(), Double(track.key.source)].lazy, decimals: 0, to: &text)
        text += ",\(JSONValue.quoted(track.reason)),\(track.key.recording)".utf8
        for (place, visit) in track.visits.enumerated() where track.visits.count > 1 {
            text += (place > 0 ? ",[" : ",[[").utf8
            append([visit.first - start, visit.last - start].lazy, decimals: 3, to: &text)
            text.append(UInt8(ascii: "]"))
        }
        text += (track.visits.count > 1 ? "]]" : "]").utf8
    }

    /// Appends a zone as an object. Each event in it is an array: time, kind, track id, label, dwell time, recording.
    /// Each entry of `byLabel` is an array: label, entered, left, in, out, total dwell time, longest dwell time. Times
    /// are in seconds.
    private func append(_ zone: ObservedZone, _ start: Double, to text: inout [UInt8]) {
        text +=
            "{\"name\":\(JSONValue.quoted(zone.name)),\"isLine\":\(zone.isLine),\"eventCount\":\(zone.eventCount),".utf8
        text += "\"source\":\(zone.source),\"byLabel\":[".utf8
        for (place, (label, tally)) in zone.byLabel.sorted(by: { $0.key < $1.key }).enumerated() {
            text += (place > 0 ? ",[" : "[").utf8
            let counts = [label, tally.entered, tally.left, tally.in, tally.out]
            append(counts.lazy.map(Double.init), decimals: 0, to: &text)
            text.append(UInt8(ascii: ","))
            append([tally.stayed, tally.longest].lazy, decimals: 3, to: &text)
            text.append(UInt8(ascii: "]"))
        }
        text += "],\"events\":[".utf8
        for (place, event) in zone.events.enumerated() {
            text += (place > 0 ? ",[" : "[").utf8
            DecimalText.append(event.time - start, decimals: 3, to: &text)
            text += ",\"\(event.kind.rawValue)\",\(event.id),\(event.label),".utf8
            DecimalText.append(event.dwell ?? -1, decimals: 3, to: &text)
            text += ",\(event.recording)]".utf8
        }
        text += "]}".utf8
    }

    private func appendUntracked(to text: inout [UInt8]) {
        let series = observations.untracked
        text += "{\"most\":\(observations.maximumUntracked),\"step\":\(series.step),\"times\":[".utf8
        for (place, (label, time)) in observations.untrackedTime.sorted(by: { $0.key < $1.key }).enumerated() {
            text += (place > 0 ? ",[" : "[").utf8
            append([Double(label), time].lazy, decimals: 2, to: &text)
            text += "]".utf8
        }
        text += "],\"series\":[".utf8
        for (place, (label, sums)) in series.sums.sorted(by: { $0.key < $1.key }).enumerated() {
            text += (place > 0 ? ",[" : "[").utf8
            text += "\(label),[".utf8
            append(sums.lazy.map { $0 / series.step }, decimals: 2, to: &text)
            text += "]]".utf8
        }
        text += "]}".utf8
    }

    private func append(_ figures: some Sequence<Double>, decimals: Int, to text: inout [UInt8]) {
        var isFirst = true
        for figure in figures {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            DecimalText.append(figure, decimals: decimals, to: &text)
        }
    }
}

struct ReportError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
