import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("RecordedResults")
struct RecordedResultsTests {
    private static let hasLibrary = (try? SQLiteLibrary()) != nil

    /// The database has boxes in upright frames, and the page draws them over the frames of the recording.
    @Test(.enabled(if: hasLibrary, "no libsqlite3 on this machine"))
    func boxesReferToRecordedFrames() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s.sqlite"
        let writer = try StoreWriter(StoreFile.open(toWrite: path, SQLiteLibrary()))
        let box: StoreRow.Columns = [
            ("track", .integer(1)), ("label", .text("person")), ("category", .integer(-1)), ("score", .integer(500)),
            ("x_min", .integer(1_000)), ("y_min", .integer(2_000)), ("x_max", .integer(3_000)),
            ("y_max", .integer(6_000)),
        ]
        try writer.write([
            StoreRow(
                camera: "cam", session: 1, time: 1_000, content: .result(width: 320, height: 240, boxes: [box]))
        ])
        let results = try RecordedResults(path)
        let expected: [(Orientation, [Double])] = [
            (.identity, [0.1, 0.2, 0.3, 0.6]), (.rotate180, [0.7, 0.4, 0.9, 0.8]), (.rotate90, [0.2, 0.7, 0.6, 0.9]),
        ]
        for (orientation, corners) in expected {
            let found = try results.boxes(of: "cam", session: nil, from: 0, to: 2_000, in: orientation)
            let box = try #require(found["boxes"]?.array?.first?.array)
            for (corner, expected) in zip(box.dropFirst(5), corners) {
                #expect(abs((corner.number ?? 0) - expected) < 1e-9, "\(orientation): \(box)")
            }
        }
    }
}
