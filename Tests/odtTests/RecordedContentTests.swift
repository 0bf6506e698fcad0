import ODTPlayback
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("RecordedContent")
struct RecordedContentTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the redaction of a camera with `box-style=blur`.
    private func properties(_ labels: String) throws -> String {
        try #require(RedactionRequest(style: "blur", labels: labels, isStrict: true)).properties
    }

    @Test func onlyFilesWithTheSameLabelsMayBeShown() throws {
        let requests = try ["", "car", "person,car", "car;person", "car%3Bperson"].map(properties)
        for recorded in requests {
            let file = try folder.write("a.mkv", RecordedContent.redacted(recorded).mark + "\u{1}")
            for request in requests {
                #expect(
                    RedactionFilter(properties: request).permits(file) == (request == recorded),
                    "\(recorded), \(request)")
            }
        }
    }

    @Test func headerStatesOrientationOfOriginalFrames() throws {
        for orientation in Orientation.allCases {
            let file = try folder.write("a.mkv", RecordedContent.original(orientation).mark + "\u{1}")
            #expect(RecordedContent.orientation(of: file) == orientation)
        }
        for content in [RecordedContent.annotated, try .redacted(properties(""))] {
            let file = try folder.write("a.mkv", content.mark + "\u{1}")
            #expect(RecordedContent.orientation(of: file) == .identity)
        }
    }

    @Test func filesOfEarlierBuildsAreNotShown() throws {
        let file = try folder.write("a.mkv", SegmentRetention.mark + ": redacted box-style=blur;")
        #expect(try !RedactionFilter(properties: properties("")).permits(file))
    }
}
