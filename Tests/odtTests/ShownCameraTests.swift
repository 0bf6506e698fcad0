import CODTGStreamer
import ODTPlayback
import SwiftODT
import Testing

@testable import odt

@Suite("ShownCamera")
struct ShownCameraTests {
    private var camera = ShownCamera("yard", at: 0)

    init() throws { try PluginSearch.startGStreamer() }

    /// - Parameter time: The wall-clock time of the message, in milliseconds since 1970.
    private mutating func take(_ text: String, at time: Nanoseconds = 0) throws {
        let structure = try #require(gst_structure_from_string(text, nil))
        defer { gst_structure_free(structure) }
        camera.take(
            WatchMessage(
                camera: "yard", time: time * 1_000_000, steady: 0, fields: MessageFields(structure), line: "",
                mayWait: false), at: 1)
    }

    /// Passes a result with zones of these names and kinds, and returns the zones that the page shows.
    private mutating func shown(_ zones: [(name: String, kind: String)]) throws -> [String] {
        let list = zones.map { "[ zone, name=(string)\($0.name), kind=(string)\($0.kind); ]" }.joined(separator: ", ")
        try take("swiftodt, zones=(structure){ \(list) };")
        return camera.json["zones"]?.array?.compactMap { zone in
            zone["name"]?.string.map { "\($0) \(zone["kind"]?.string ?? "")" }
        } ?? []
    }

    @Test mutating func cameraIsLostSinceFirstReason() throws {
        for (time, reason) in [(5, "refused"), (9, "no route")] as [(Nanoseconds, String)] {
            try take("swiftodt-camera, event=(string)lost, reason=(string)\"\(reason)\";", at: time)
        }
        #expect(camera.json["since"]?.number == 5 && camera.json["reason"]?.string == "no route")
    }

    private var problems: [String] { camera.json["problems"]?.array?.compactMap(\.string) ?? [] }

    @Test mutating func problemsEndWhenRestoredOrReconnected() throws {
        try take("swiftodt-alarm, event=(string)quiet;")
        try take("swiftodt-alarm, event=(string)frozen;")
        #expect(problems == ["frozen", "quiet"])
        try take("swiftodt-alarm, event=(string)restored, reason=(string)quiet;")
        #expect(problems == ["frozen"])
        try take("swiftodt-camera, event=(string)connected;")
        #expect(problems == [])
    }

    @Test mutating func zonesOfEarlierConfigurationAreDropped() throws {
        var zones = try shown([("old", "zone"), ("door", "line"), ("kept", "zone")])
        #expect(zones == ["old zone", "door line", "kept zone"])
        zones = try shown([("new", "zone"), ("door", "zone"), ("kept", "zone")])
        #expect(zones == ["kept zone", "new zone", "door zone"])
    }

    /// A busy camera does not push the alarms of another camera out of the log.
    @Test func logKeepsEntriesOfQuietCameras() throws {
        var log = NumberedLog(maximum: 20)
        log.add(["camera": .string("quiet")])
        for _ in 0..<100 { log.add(["camera": .string("busy")]) }
        let entries = try #require(log.entries(since: 0).array)
        #expect(entries.count <= 20 && entries.first?["camera"]?.string == "quiet")
        #expect(entries.last?["number"]?.number == 101)
        #expect(log.entries(since: 99).array?.compactMap { $0["number"]?.number } == [100, 101])
    }

    /// The newest entry is never dropped, even if all cameras are equally busy.
    @Test func logKeepsNewestEntriesOfManyCameras() throws {
        var log = NumberedLog(maximum: 100)
        for number in 1...1000 {
            log.add(["camera": .string("\(number % 20)")])
            #expect(log.entries(since: number - 1).array?.count == 1)
        }
        let entries = try #require(log.entries(since: 0).array)
        #expect(Set(entries.compactMap { $0["camera"]?.string }).count == 20)
    }
}
