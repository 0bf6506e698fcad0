import Testing

@testable import odt

@Suite("PageRecordings")
struct PageRecordingsTests {
    /// Properties that cannot be evaluated may request redaction. Without the plugin, as in this test, these are all.
    @Test func picturesOfUnclearRedactionAreNotPermitted() {
        let recordings = PageRecordings(folder: nil, clips: nil, store: nil)
        recordings.use([CameraPlan(name: "unclear", source: "rtsp://unclear")])
        for redaction in [nil, "box-style=blur"].map(RedactionFilter.init(properties:)) {
            #expect(!recordings.permits(redaction, of: "unclear") && !recordings.permits(redaction, of: "removed"))
        }
    }
}
