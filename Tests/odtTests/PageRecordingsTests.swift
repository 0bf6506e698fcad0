import Testing

@testable import odt

@Suite("PageRecordings")
struct PageRecordingsTests {
    /// Properties that cannot be evaluated may request redaction.
    @Test func picturesAreNotPermittedIfRedactionIsUnknown() {
        let recordings = PageRecordings(folder: nil, clips: nil, store: nil)
        var unclear = CameraPlan(name: "unclear", source: "rtsp://unclear")
        unclear.settings = [CameraSetting("box-style=nonsense")]
        recordings.use([(unclear.name, RedactionFilter(of: unclear))])
        for redaction in [nil, "box-style=blur"].map(RedactionFilter.init(properties:)) {
            #expect(!recordings.permits(redaction, of: "unclear") && !recordings.permits(redaction, of: "removed"))
        }
    }
}
