import ODTPlayback
import SwiftODT

/// Collects the boxes of all frames and formats them for annotation and evaluation tools. Memory use is proportional to
/// the number of boxes.
struct TrackExport {
    enum Format: String, CaseIterable, Sendable {
        /// JSON as defined by COCO, with `track_id` and `score`.
        case coco
        /// XML of the kind "CVAT for video 1.1".
        case cvat
        /// Lines as defined by MOTChallenge: frame, id, left, top, width, height, score, -1, -1, -1.
        case mot
    }

    private struct Entry {
        /// The number of the frame, starting at 0.
        let frame: Int
        var id: UInt64?
        let label: String
        let (x, y, width, height): (Int, Int, Int, Int)
        let score: Double
        /// Whether the box is extrapolated because the object was not detected in this frame.
        let isExtrapolated: Bool
    }

    private var entries: [Entry] = []
    /// The time of each frame in seconds, or `nil` if it is unknown, and its size.
    private var frames: [(time: Double?, width: Int, height: Int)] = []

    /// Adds the objects of a `swiftodt` message. Each call is one frame.
    mutating func add(_ message: MessageFields) {
        func side(_ name: String) -> Int { Int(clamping: message.count(name) ?? 0) }
        let time = (message.count("stream-time") ?? message.count("running-time")).map { Double($0) / 1e9 }
        defer { frames.append((time, side("width"), side("height"))) }
        for object in message.list("objects") where object.text("state") != "lost" {
            func side(_ name: String) -> Int { Int(clamping: object.count(name) ?? 0) }
            let label = object.text("label") ?? ""
            entries.append(
                Entry(
                    frame: frames.count, id: object.count("tracking-id"), label: label.isEmpty ? "object" : label,
                    x: side("x"), y: side("y"), width: side("width"), height: side("height"),
                    score: object.real("score") ?? 0,
                    isExtrapolated: object.text("state") == "coasting" || (object.count("time-since-update") ?? 0) > 0))
        }
    }

    /// Gives all boxes of a track the id that replaces its id.
    mutating func rename(_ id: UInt64, to other: UInt64) {
        let frames = Set(entries.lazy.filter { $0.id == id }.map(\.frame))
        // The earlier track may still be extrapolated in frames in which the object has already returned.
        entries.removeAll { $0.id == other && frames.contains($0.frame) }
        for index in entries.indices where entries[index].id == id { entries[index].id = other }
    }

    func text(as format: Format, of name: String) -> String {
        switch format {
        case .coco: coco(name)
        case .cvat: cvat(name)
        case .mot: mot
        }
    }

    private var labels: [String] { Set(entries.map(\.label)).sorted() }

    // MARK: COCO

    private func coco(_ name: String) -> String {
        let labels = labels
        let numbers = Dictionary(uniqueKeysWithValues: zip(labels, 1...))
        func number(_ value: Int) -> JSONValue { .number(Double(value)) }
        let images = frames.enumerated().map { frame, picture in
            var members: [String: JSONValue] = [
                "id": number(frame + 1), "file_name": .string("\(name)/\(frame + 1)"), "frame_index": number(frame),
                "width": number(picture.width), "height": number(picture.height),
            ]
            if let time = picture.time { members["time"] = .number(time) }
            return JSONValue.object(members)
        }
        let annotations = entries.enumerated().map { place, entry in
            var members: [String: JSONValue] = [
                "id": number(place + 1), "image_id": number(entry.frame + 1), "iscrowd": number(0),
                "category_id": number(numbers[entry.label] ?? 0), "score": .number(entry.score),
                "bbox": .array([entry.x, entry.y, entry.width, entry.height].map(number)),
                "area": number(entry.width * entry.height), "extrapolated": .bool(entry.isExtrapolated),
            ]
            if let id = entry.id { members["track_id"] = .number(Double(id)) }
            return JSONValue.object(members)
        }
        let categories = labels.map { JSONValue.object(["id": number(numbers[$0] ?? 0), "name": .string($0)]) }
        let whole = JSONValue.object([
            "info": .object(["description": .string(name)]), "licenses": .array([]), "images": .array(images),
            "annotations": .array(annotations), "categories": .array(categories),
        ])
        return whole.text + "\n"
    }

    // MARK: MOTChallenge

    private var mot: String {
        entries.reduce(into: "") { text, entry in
            let score = DecimalText.text(entry.score, decimals: 4)
            text += "\(entry.frame + 1),\(entry.id.map(String.init) ?? "-1"),\(entry.x),\(entry.y),"
            text += "\(entry.width),\(entry.height),\(score),-1,-1,-1\n"
        }
    }

    // MARK: CVAT

    private func cvat(_ name: String) -> String {
        var text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n  <meta>\n"
        text += "    <task>\n      <name>\(Self.escaped(name))</name>\n      <size>\(frames.count)</size>\n"
        text += "      <mode>interpolation</mode>\n      <start_frame>0</start_frame>\n"
        text += "      <stop_frame>\(max(0, frames.count - 1))</stop_frame>\n      <labels>\n"
        for label in labels { text += "        <label><name>\(Self.escaped(label))</name></label>\n" }
        let (width, height) = (frames.first?.width ?? 0, frames.first?.height ?? 0)
        text += "      </labels>\n      <original_size><width>\(width)</width>"
        text += "<height>\(height)</height></original_size>\n    </task>\n  </meta>\n"
        // A box without an id is a track of one frame.
        var tracks: [[Entry]] = []
        var places: [UInt64: Int] = [:]
        for entry in entries {
            if let place = entry.id.flatMap({ places[$0] }) {
                tracks[place].append(entry)
            } else {
                if let id = entry.id { places[id] = tracks.count }
                tracks.append([entry])
            }
        }
        for (number, track) in tracks.enumerated() { text += self.text(of: track, number) }
        return text + "</annotations>\n"
    }

    private func text(of track: [Entry], _ number: Int) -> String {
        let label = track.last { $0.label != "object" }?.label ?? "object"
        var text = "  <track id=\"\(number)\" label=\"\(Self.escaped(label))\" source=\"auto\">\n"
        for (place, entry) in track.enumerated() {
            text += box(entry, at: entry.frame, isOutside: false)
            // If the track has no box in the next frame, the object is marked as outside the picture from that frame on
            // (CVAT's attribute `outside`).
            let next = place + 1 < track.count ? track[place + 1].frame : frames.count
            if next > entry.frame + 1 { text += box(entry, at: entry.frame + 1, isOutside: true) }
        }
        return text + "  </track>\n"
    }

    /// A task has one size, so boxes of frames with another size are scaled to the size of the first frame.
    private func box(_ entry: Entry, at frame: Int, isOutside: Bool) -> String {
        func across(_ x: Int) -> Int { x * frames[0].width / max(1, frames[entry.frame].width) }
        func down(_ y: Int) -> Int { y * frames[0].height / max(1, frames[entry.frame].height) }
        return "    <box frame=\"\(frame)\" outside=\"\(isOutside ? 1 : 0)\" "
            + "occluded=\"\(entry.isExtrapolated ? 1 : 0)\" keyframe=\"1\" "
            + "xtl=\"\(across(entry.x))\" ytl=\"\(down(entry.y))\" xbr=\"\(across(entry.x + entry.width))\" "
            + "ybr=\"\(down(entry.y + entry.height))\" z_order=\"0\"/>\n"
    }

    /// Escapes a text for XML and HTML.
    static func escaped(_ text: String) -> String {
        // A combining mark after a special character would hide that character from a comparison of whole characters.
        text.unicodeScalars.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML 1.0 has no representation of these characters.
            case let other where other.value < 32 || [0xFFFE, 0xFFFF].contains(other.value): result += " "
            default: result.unicodeScalars.append(character)
            }
        }
    }
}
