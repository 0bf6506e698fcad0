import SwiftODT

/// The tables of `odt report --csv` and `--events-csv`.
struct ReportTables {
    let observations: Observations

    /// Returns one row for each object. `session` is the number of the connection or recording, as on the page, because
    /// tracking ids begin with 1 in each. Times are seconds on the report's time axis; `moment` is the local time of the
    /// first detection with its offset from UTC, if it is known.
    func objects(_ tracks: [ObservedTrack]) -> String {
        var text = TableRow.text([
            "source", "session", "tracking_id", "label", "category", "classifier_label", "first_seen", "last_seen",
            "duration", "moment", "best_score", "best_time", "path_length", "reason",
        ])
        for track in tracks {
            text += TableRow.text([
                observations.sources[track.key.source], String(track.key.recording + 1), String(track.key.id),
                observations.labels[track.label],
                Category(rawValue: track.category)?.name ?? "", track.classifierLabel, Self.seconds(track.first),
                Self.seconds(track.last), Self.seconds(track.duration), moment(of: track.first),
                TableRow.number(track.best?.score, decimals: 4),
                track.best.map { Self.seconds($0.time) } ?? "", TableRow.number(track.pathLength, decimals: 1),
                track.reason,
            ])
        }
        return text
    }

    /// One row for each event of a zone or line. `source` and `session` are those of ``objects(_:)``.
    var events: String {
        var text = TableRow.text([
            "source", "session", "time", "moment", "zone", "event", "tracking_id", "label", "dwell",
        ])
        let events = observations.zones.flatMap { zone in zone.events.map { (zone, $0) } }
        for (zone, event) in events.sorted(by: { $0.1.time < $1.1.time }) {
            text += TableRow.text([
                observations.sources[zone.source], String(event.recording + 1), Self.seconds(event.time),
                moment(of: event.time), zone.name, event.kind.rawValue, String(event.id),
                observations.labels[event.label], event.dwell.map(Self.seconds) ?? "",
            ])
        }
        return text
    }

    private func moment(of time: Double) -> String {
        observations.utc.map { WallTime.text(of: Int64(($0 + time) * 1000), hasOffset: true) } ?? ""
    }

    private static func seconds(_ time: Double) -> String { TableRow.number(time, decimals: 3) }
}
