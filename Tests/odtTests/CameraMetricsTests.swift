import CODTGStreamer
import ODTPlayback
import Testing

@testable import odt

@Suite struct CameraMetricsTests {
    init() { gst_init(nil, nil) }

    /// An object whose id is replaced by its earlier id is still present.
    @Test func replacedIDIsNotCountedAsEndedTrack() {
        var metrics = CameraMetrics()
        for reason in ["reidentified", "left-frame"] {
            let fields = OwnedStructure(named: "swiftodt-track")
            fields.set("event", to: "end")
            fields.set("label", to: "person")
            fields.set("reason", to: reason)
            metrics.take(MessageFields(fields.pointer))
        }
        #expect(metrics.tracks == [CameraMetrics.Key(label: "person"): 1])
    }
}
