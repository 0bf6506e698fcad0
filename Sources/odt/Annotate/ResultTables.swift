import ODTPlayback
import SwiftODT

/// Formats rows of comma-separated values as in RFC 4180, but with line feeds as line ends.
enum TableRow {
    static func text(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") + "\n" }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { [0x22, 0x2c, 0x0a, 0x0d].contains($0) }) else { return cell }
        // A combining mark after a quote would hide the quote from a comparison of whole characters.
        return "\"" + cell.unicodeScalars.reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) } + "\""
    }

    /// Formats a time in nanoseconds as seconds. The text is empty if the time is unknown.
    ///
    /// - Parameter offset: is added to the time.
    static func seconds(_ time: UInt64?, offset: Double = 0) -> String {
        time.map { DecimalText.text((Double($0) + offset) / 1e9, decimals: 6) } ?? ""
    }

    /// Returns the stream time minus the running time of a message. All tables have stream times, as far as known.
    static func offset(of message: MessageFields) -> Double {
        guard let stream = message.count("stream-time"), let running = message.count("running-time") else { return 0 }
        return Double(stream) - Double(running)
    }

    static func number(_ value: Double?, decimals: Int) -> String {
        value.map { DecimalText.text($0, decimals: decimals) } ?? ""
    }

    static func count(_ value: UInt64?) -> String { value.map { String($0) } ?? "" }
}

/// The table of `--csv`: one row per object and frame.
struct FrameTable {
    static let header = [
        "frame", "time", "tracking_id", "label", "category", "confidence", "classifier_label", "classifier_score",
        "score", "state", "x", "y", "width", "height",
        "x_min", "y_min", "x_max", "y_max", "velocity_x", "velocity_y", "rank",
    ]

    private var frame = 0

    /// Returns one row for each object of a `swiftodt` message. Each call advances the frame number by one.
    mutating func rows(of message: MessageFields) -> String {
        frame += 1
        let time = TableRow.seconds(message.count("stream-time") ?? message.count("running-time"))
        return message.list("objects").reduce(into: "") { text, object in
            var cells = [String(frame), time, TableRow.count(object.count("tracking-id")), object.text("label") ?? ""]
            cells += [object.text("category") ?? "", TableRow.number(object.real("confidence"), decimals: 4)]
            cells.append(object.text("classifier-label") ?? "")
            cells += ["classifier-score", "score"].map { TableRow.number(object.real($0), decimals: 4) }
            cells.append(object.text("state") ?? "")
            cells += ["x", "y", "width", "height"].map { TableRow.count(object.count($0)) }
            cells += ["x-min", "y-min", "x-max", "y-max"].map { TableRow.number(object.real($0), decimals: 6) }
            cells += ["velocity-x", "velocity-y"].map { TableRow.number(object.real($0), decimals: 2) }
            cells.append(TableRow.count(object.count("rank")))
            text += TableRow.text(cells)
        }
    }
}

/// The table of `--events-csv`: one row per event of a track or zone.
enum EventTable {
    static let header = [
        "time", "kind", "event", "tracking_id", "label", "category", "classifier_label", "zone", "direction", "dwell",
        "duration", "reason", "epoch",
    ]

    /// Returns the row of a message about a track or zone; `nil` for other messages and for updates of tracks.
    static func row(of message: MessageFields) -> String? {
        let kinds = ["swiftodt-track": "track", "swiftodt-zone": "zone"]
        guard let kind = kinds[message.name], let event = message.text("event"), event != "update" else { return nil }
        let time = message.count("event-running-time") ?? message.count("running-time")
        var cells = [TableRow.seconds(time, offset: TableRow.offset(of: message))]
        cells += [kind, event, TableRow.count(message.count("tracking-id"))]
        cells += ["label", "category", "classifier-label", "zone", "direction"].map { message.text($0) ?? "" }
        cells += ["dwell", "duration"].map { TableRow.seconds(message.count($0)) }
        cells += [message.text("reason") ?? "", TableRow.count(message.count("epoch"))]
        return TableRow.text(cells)
    }
}

/// The table of `--tracks-csv`: one row per track.
enum TrackTable {
    static let header = [
        "tracking_id", "label", "category", "classifier_label", "first_seen", "last_seen", "duration", "best_score",
        "best_time", "best_x", "best_y", "best_width", "best_height", "path_length", "reason", "epoch",
    ]

    /// Returns the change of the number of objects by a `swiftodt-track` message. An object that continues with an
    /// earlier id is not another object.
    static func objectCountChange(of message: MessageFields) -> Int {
        message.text("event") == "begin" ? 1 : message.isReidentification ? -1 : 0
    }

    /// Returns the row of a `swiftodt-track` message if its event is `end`; `nil` for other events, and for an object that
    /// continues with an earlier id, because the row of that id contains the same detections.
    static func row(of message: MessageFields) -> String? {
        guard message.text("event") == "end", !message.isReidentification else { return nil }
        var cells = [TableRow.count(message.count("tracking-id"))]
        cells += ["label", "category", "classifier-label"].map { message.text($0) ?? "" }
        let offset = TableRow.offset(of: message)
        cells += ["first-seen", "last-seen"].map { TableRow.seconds(message.count($0), offset: offset) }
        cells.append(TableRow.seconds(message.count("duration")))
        cells.append(TableRow.number(message.real("best-score"), decimals: 4))
        cells.append(TableRow.seconds(message.count("best-running-time"), offset: offset))
        cells += ["best-x", "best-y", "best-width", "best-height"].map { TableRow.count(message.count($0)) }
        cells += [TableRow.number(message.real("path-length"), decimals: 1), message.text("reason") ?? ""]
        cells.append(TableRow.count(message.count("epoch")))
        return TableRow.text(cells)
    }
}

/// Derives replaced tracking ids from `swiftodt-track` messages. The end of the temporary id has the reason
/// `reidentified`. The next event of the object has its earlier id and the same `first-seen`.
struct IDReplacements: Sendable {
    /// The replaced ids whose earlier id is not reported yet, by `first-seen`.
    private var pending: [UInt64: UInt64] = [:]

    /// Returns the replaced id and the earlier id if this is the message with the earlier id.
    mutating func take(_ message: MessageFields) -> (from: UInt64, to: UInt64)? {
        guard let id = message.count("tracking-id"), let firstSeen = message.count("first-seen") else { return nil }
        if message.isReidentification {
            pending[firstSeen] = id
        } else if ["begin", "re-entered"].contains(message.text("event")) {
            return pending.removeValue(forKey: firstSeen).map { (from: $0, to: id) }
        }
        return nil
    }
}
