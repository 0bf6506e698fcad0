import Testing

@testable import SwiftODT

@Suite struct ZoneParsingTests {
    @Test func zoneListIsParsed() throws {
        let zones = try Zone.list(
            named: """
                 [{"name": "door", "kind": "line", "points": [[0.2, 0.9], [0.8, 0.9]], "labels": ["Person"], "anchor": "centre"},
                  {"name": "yard", "points": [[0, 0], [1, 0], [1, 1]], "min-time": 2.5},
                  {"name": "tree", "kind": "ignore", "points": [[0, 0], [1, 0], [1, 1]]}]
                """)
        #expect(
            zones == [
                Zone("door", .line, [Zone.Point(0.2, 0.9), Zone.Point(0.8, 0.9)], labels: ["person"], anchor: .centre),
                Zone(
                    "yard", .area, [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 1)], anchor: .bottom,
                    minTime: 2_500_000_000),
                Zone("tree", .ignore, [Zone.Point(0, 0), Zone.Point(1, 0), Zone.Point(1, 1)], anchor: .centre),
            ])
        #expect(try Zone.list(named: #"{"zones": []}"#) == [])
    }

    /// The error names the zone and the invalid entry.
    @Test(arguments: [
        ("[", "not valid JSON"), ("{}", "a list of zones"), ("[1]", "zone 1"), ("[{}]", "name"),
        (#"[{"name": "a", "points": [[0, 0], [1, 1]]}]"#, "needs at least 3"),
        (#"[{"name": "a", "kind": "line", "points": [[0, 0]]}]"#, "needs at least 2"),
        (#"[{"name": "a", "kind": "line", "points": [[0, 0], [0, 0]]}]"#, "different points"),
        (#"[{"name": "a", "kind": "circle", "points": []}]"#, "zone, line, ignore"),
        (#"[{"name": "a", "kind": "line", "points": [[0, 0], [640, 480]]}]"#, "from 0 to 1"),
        (#"[{"name": "a", "kind": "line", "points": [[0, 0], [1]]}]"#, "a pair"),
        (#"[{"name": "a", "kind": "line", "points": [[0, 0], [1, 1]], "label": ["x"]}]"#, "unknown key \"label\""),
        (#"[{"name": "a", "kind": "line", "points": [[0, 0], [1, 1]], "labels": [1]}]"#, "labels"),
        (#"[{"name": "a", "kind": "line", "points": [[0, 0], [1, 1]], "labels": ["@street"]}]"#, "label group"),
        (#"[{"name": "a", "kind": "line", "points": [[0, 0], [1, 1]], "min-time": 1}]"#, "min-time"),
        (#"[{"name": "a", "points": [[0, 0], [1, 1], [0, 1]], "min-time": -1}]"#, "seconds"),
        (
            #"[{"name": "a", "kind": "line", "points": [[0, 0], [1, 1]]}, {"name": "a", "kind": "line", "points": [[0, 0], [1, 1]]}]"#,
            "two zones"
        ),
        ("/nowhere/zones.json", "/nowhere/zones.json cannot be read"),
    ])
    func invalidZonesAreErrors(text: String, words: String) {
        #expect { try Zone.list(named: text) } throws: { "\($0)".contains(words) }
    }
}
