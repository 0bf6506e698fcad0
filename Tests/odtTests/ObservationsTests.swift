import SwiftODT
import Testing

@testable import odt

@Suite("Observations")
struct ObservationsTests {
    private func add(
        _ kind: ParsedMessage.Kind, to observations: inout Observations, of camera: String, session: Int64,
        at seconds: Double, _ fields: [String: JSONValue]
    ) throws {
        let common: [String: JSONValue] = ["source": .string(camera), "running-time": .number(seconds * 1e9)]
        try observations.add(ParsedMessage(kind, common.merging(fields) { $1 }, recording: session))
    }

    private static func size(_ width: Double, _ height: Double) -> [String: JSONValue] {
        ["width": .number(width), "height": .number(height)]
    }

    private static let best: [String: JSONValue] = [
        "event": .string("end"), "tracking-id": .number(1), "best-x": .number(160), "best-y": .number(120),
        "best-width": .number(80), "best-height": .number(60), "best-score": .number(0.5),
        "best-running-time": .number(1e9),
    ]

    /// Messages of files have no size in track events, and those of a database have the size of the session.
    @Test(arguments: [false, true]) func bestBoxesAreScaledBySizeOfTheirCamera(_ isStored: Bool) throws {
        var observations = Observations()
        let sizes = [("large", Self.size(640, 480)), ("small", Self.size(320, 240))]
        for (camera, size) in sizes {
            let fields = size.merging(["objects": .array([])]) { $1 }
            try add(.result, to: &observations, of: camera, session: 1, at: 1, fields)
        }
        for (camera, size) in sizes {
            let fields = isStored ? Self.best.merging(size) { $1 } : Self.best
            try add(.track, to: &observations, of: camera, session: 1, at: 2, fields)
        }
        let boxes = observations.tracks.map { $0.best?.box ?? Box(x: 0, y: 0, width: 0, height: 0) }
        #expect(boxes.count == 2)
        for (box, part) in zip(boxes, [0.25, 0.5]) {
            for (edge, expected) in [(box.x, part), (box.y, part), (box.width, part / 2), (box.height, part / 2)] {
                #expect(abs(edge - expected) < 1e-9, "\(box)")
            }
        }
    }

    /// The recording begins 60 s after the start of the video.
    @Test func streamTimeOfBestDetectionFollowsMessage() throws {
        var observations = Observations()
        let fields = Self.best.merging(Self.size(640, 480)) { $1 }.merging(["stream-time": .number(61e9)]) { $1 }
        try add(.track, to: &observations, of: "cam", session: 1, at: 1, fields)
        #expect(observations.tracks.map(\.best?.time) == [1])
        #expect(observations.tracks.map(\.best?.streamTime) == [61])
    }

    /// With re-identification, an object ends, returns with its id, and ends again.
    @Test func returnedObjectKeepsItsEarlierVisit() throws {
        var observations = Observations()
        func track(
            _ event: String, _ id: Double, from first: Double, to last: Double, path: Double, score: Double,
            _ reason: String = ""
        ) throws {
            let figures = [
                "tracking-id": id, "first-seen": first * 1e9, "last-seen": last * 1e9, "path-length": path,
                "best-score": score, "best-running-time": first * 1e9, "best-x": 1, "best-y": 1, "best-width": 9,
                "best-height": 9,
            ].mapValues(JSONValue.number)
            let texts = ["event": JSONValue.string(event), "reason": .string(reason)]
            try add(
                .track, to: &observations, of: "cam", session: 1, at: last,
                figures.merging(texts) { $1 }.merging(Self.size(640, 480)) { $1 })
        }
        try track("begin", 1, from: 0, to: 0, path: 0, score: 0.5)
        try track("end", 1, from: 0, to: 10, path: 100, score: 0.9, "left-frame")
        try track("begin", 2, from: 60, to: 60, path: 0, score: 0.5)
        try track("end", 2, from: 60, to: 61, path: 5, score: 0.5, "reidentified")
        try track("re-entered", 1, from: 60, to: 61, path: 5, score: 0.5)
        try track("end", 1, from: 60, to: 66, path: 50, score: 0.8, "left-frame")
        observations.finish()
        let tracks = observations.tracks
        #expect(tracks.map(\.key.id) == [1] && observations.trackCount == 1)
        #expect(tracks[0].first == 0 && tracks[0].last == 66 && tracks[0].pathLength == 100)
        #expect(tracks[0].best?.score == 0.9)
        #expect(tracks[0].visits.count == 2 && tracks[0].duration == 16)
    }

    /// Results alone also contain the visits: `first-seen` is the start of the current one.
    @Test(arguments: [(true, 5.0), (false, 63)]) func durationOmitsAbsence(_ isKnown: Bool, _ duration: Double) throws {
        var observations = Observations()
        for (first, last) in [(0.0, 0.0), (0, 2), (60, 61), (60, 63)] {
            var object = ["tracking-id": JSONValue.number(1), "last-seen": .number(last * 1e9)]
            if isKnown { object["first-seen"] = .number(first * 1e9) }
            try add(
                .result, to: &observations, of: "cam", session: 1, at: last, ["objects": .array([.object(object)])])
        }
        observations.finish()
        #expect(observations.tracks.map(\.duration) == [duration])
    }

    /// The page shows a limited number of events, but a table has all of them.
    @Test(arguments: [true, false]) func tableHasAllEvents(_ hasTable: Bool) throws {
        var observations = Observations(keepsAllEvents: hasTable)
        let fields: [String: JSONValue] = [
            "event": .string("enter"), "zone": .string("door"), "tracking-id": .number(1),
        ]
        for _ in 0..<100_010 { try add(.zone, to: &observations, of: "cam", session: 1, at: 1, fields) }
        observations.finish()
        #expect(observations.zones.map(\.events.count) == [hasTable ? 100_010 : 100_000])
        #expect(observations.zones.map(\.eventCount) == [100_010])
    }

    /// The page shows at most 20,000 tracks. The CSV table has all of them.
    @Test(arguments: [true, false]) func allTracksAreKeptOnlyForTable(_ hasTable: Bool) throws {
        var observations = Observations(keepsAllTracks: hasTable)
        for id in 1...80_010 {
            let fields: [String: JSONValue] = ["event": .string("begin"), "tracking-id": .number(Double(id))]
            try add(.track, to: &observations, of: "cam", session: 1, at: Double(id), fields)
        }
        observations.finish()
        #expect(observations.tracks.count == (hasTable ? 80_010 : 20_009))
        observations.limitTracks()
        #expect(observations.tracks.count == 20_000 && observations.trackCount == 80_010)
    }

    /// The element counts the entry for the label that becomes known during the stay.
    @Test func entryIsCountedForLabelOfLeave() throws {
        var observations = Observations()
        func see(_ event: String, _ label: String, session: Int64) throws {
            let fields: [String: JSONValue] = [
                "event": .string(event), "zone": .string("yard"), "tracking-id": .number(1), "label": .string(label),
            ]
            try add(.zone, to: &observations, of: "cam", session: session, at: 1, fields)
        }
        func counts() -> [String] {
            observations.zones[0].byLabel.map { "\(observations.labels[$0]) \($1.entered) \($1.left)" }.sorted()
        }
        try see("enter", "", session: 1)
        try see("enter", "", session: 2)
        try see("leave", "person", session: 1)
        #expect(counts() == [" 1 0", "person 1 1"])
        try see("leave", "dog", session: 2)
        #expect(counts() == ["dog 1 1", "person 1 1"])
    }

    /// The counts of results include the events, so they count only until the first event.
    @Test func eventsReplaceCountsOfResults() throws {
        var observations = Observations()
        let line: [String: JSONValue] = ["label": .string("person"), "entered": .number(5)]
        let zone: [String: JSONValue] = [
            "name": .string("yard"), "kind": .string("area"), "by-label": .array([.object(line)]),
        ]
        let result: [String: JSONValue] = ["objects": .array([]), "zones": .array([.object(zone)])]
        let entry: [String: JSONValue] = [
            "event": .string("enter"), "zone": .string("yard"), "tracking-id": .number(1), "label": .string("person"),
        ]
        var counts: [[Int]] = []
        for (kind, fields) in [(.result, result), (.zone, entry), (.result, result)]
            as [(ParsedMessage.Kind, [String: JSONValue])]
        {
            try add(kind, to: &observations, of: "cam", session: 1, at: 1, fields)
            counts.append(observations.zones.flatMap { $0.byLabel.values.map(\.entered) })
        }
        #expect(counts == [[5], [1], [1]])
    }

    /// The running time of each connection begins with 0.
    @Test func connectionsArePlacedByWallClock() throws {
        var observations = Observations()
        let taken = 1_795_357_805.0
        let connections: [(camera: String, session: Int64, connected: Double)] = [
            ("front", 1, 0), ("front", 2, 7_200), ("back", 1, 7_205),
        ]
        for (camera, session, connected) in connections {
            for second in 1...3 {
                let time = Double(second)
                let object: [String: JSONValue] = [
                    "tracking-id": .number(1), "first-seen": .number(1e9), "last-seen": .number(time * 1e9),
                ]
                let entry: [String: JSONValue] = [
                    "event": .string("enter"), "zone": .string("door"), "event-running-time": .number(time * 1e9),
                ]
                let utc: [String: JSONValue] = ["utc-time": .number((taken + connected + time) * 1e9)]
                let result = utc.merging(["objects": .array([.object(object)])]) { $1 }
                try add(.result, to: &observations, of: camera, session: session, at: time, result)
                try add(
                    .zone, to: &observations, of: camera, session: session, at: time, utc.merging(entry) { $1 })
            }
        }
        let tracks = observations.tracks
        let expected: [(first: Double, last: Double)] = [(1, 3), (7_201, 7_203), (7_206, 7_208)]
        #expect(tracks.count == expected.count)
        for (track, (first, last)) in zip(tracks, expected) {
            #expect(abs(track.first - first) < 1e-3 && abs(track.last - last) < 1e-3, "\(track)")
        }
        let rows = ReportTables(observations: observations).objects(tracks).split(separator: "\n").dropFirst()
        let moments = rows.map { $0.split(separator: ",", omittingEmptySubsequences: false)[9] }
        #expect(
            moments == [1, 7_201, 7_206].map { WallTime.text(of: (Int64(taken) + $0) * 1_000, hasOffset: true)[...] })
        let entries = observations.zones.flatMap { $0.events.map { $0.time.rounded() } }
        #expect(entries == [1, 2, 3, 7_201, 7_202, 7_203, 7_206, 7_207, 7_208])
    }

    /// A file can lack track events, and with `updates=none` it has nothing else.
    @Test(arguments: [true, false]) func labelOfCustomClassifierIsInTable(_ isResult: Bool) throws {
        var observations = Observations()
        let object: [String: JSONValue] = [
            "tracking-id": .number(1), "label": .string("bird"), "classifier-label": .string("robin"),
        ]
        let fields: [String: JSONValue] =
            isResult ? ["objects": .array([.object(object)])] : object.merging(["event": .string("end")]) { $1 }
        try add(isResult ? .result : .track, to: &observations, of: "front", session: 1, at: 1, fields)
        let table = ReportTables(observations: observations).objects(observations.tracks)
        #expect(table.contains("\nfront,1,1,bird,unknown,robin,"), "\(table)")
    }

    @Test func videoOfOneOfSeveralSourcesIsFoundByName() throws {
        var observations = Observations()
        let fields: [String: JSONValue] = ["objects": .array([])]
        try add(.result, to: &observations, of: "front", session: 1, at: 1, fields)
        #expect(observations.place(ofVideo: "any name") ?? (-1, -1) == (0, 0))
        try add(.result, to: &observations, of: "back", session: 1, at: 1, fields)
        #expect(observations.place(ofVideo: "any name") == nil)
        #expect(observations.place(ofVideo: "back") ?? (-1, -1) == (1, 0))
        try add(.result, to: &observations, of: "back", session: 2, at: 2, fields)
        #expect(observations.place(ofVideo: "back") == nil)
        #expect(observations.place(ofVideo: "front") ?? (-1, -1) == (0, 0))
    }

    @Test func orientationOfVideoIsThatWhichWasApplied() {
        let cases: [([String: JSONValue], Orientation?)] = [
            ([:], nil), (["orientation": .string("identity")], nil), (["orientation": .string("90r")], .rotate90),
            (["orientation": .string("identity"), "applied-orientation": .string("180")], .rotate180),
            (["orientation": .string("identity"), "applied-orientation": .string("identity")], .identity),
            (["orientation": .string("identity"), "applied-orientation": .string("else")], nil),
        ]
        for (fields, orientation) in cases {
            #expect(ParsedMessage(.result, fields, recording: 1).orientationOfVideo == orientation, "\(fields)")
        }
    }

    @Test func zonesOfSeveralCamerasWithSameNameAreSeparate() throws {
        var observations = Observations()
        let entry: [String: JSONValue] = [
            "event": .string("enter"), "zone": .string("door"), "tracking-id": .number(1), "label": .string("person"),
        ]
        try add(.zone, to: &observations, of: "front", session: 7, at: 1, entry)
        try add(.zone, to: &observations, of: "front", session: 8, at: 2, entry)
        try add(.zone, to: &observations, of: "back", session: 9, at: 3, entry)
        let crossing = entry.merging(["event": .string("cross"), "direction": .string("in")]) { $1 }
        try add(.zone, to: &observations, of: "back", session: 9, at: 4, crossing)
        #expect(observations.zones.map(\.eventCount) == [2, 1, 1])
        let rows = ReportTables(observations: observations).events.split(separator: "\n").map { String($0) }
        #expect(
            rows == [
                "source,session,time,moment,zone,event,tracking_id,label,dwell", "front,1,1.000,,door,enter,1,person,",
                "front,2,2.000,,door,enter,1,person,", "back,1,3.000,,door,enter,1,person,",
                "back,1,4.000,,door,in,1,person,",
            ])
    }

    /// During a gap between results, nothing is known of the objects. A lost object is no longer there.
    @Test func boxesCountForAtMostOneSecond() throws {
        var observations = Observations()
        let objects = ["tracked", "lost"].map { JSONValue.object(["label": .string("dog"), "state": .string($0)]) }
        for (seconds, list) in [(0, objects), (600, [])] as [(Double, [JSONValue])] {
            let fields = Self.size(64, 48).merging(["objects": .array(list)]) { $1 }
            try add(.result, to: &observations, of: "cam", session: 1, at: seconds, fields)
        }
        #expect(observations.untrackedTime.values.reduce(0, +) == 1)
        #expect(observations.maximumUntracked == 1)
    }

    @Test(
        arguments: [
            ("1970-01-02T00:00-01:30", 91_800_000), ("1970-01-02T00:00+01:30", 81_000_000), ("2026-04-31T00:00Z", nil),
        ] as [(String, Int64?)])
    func wallTimesHaveOffsets(_ text: String, _ milliseconds: Int64?) {
        #expect(WallTime.milliseconds(of: text) == milliseconds)
    }
}
