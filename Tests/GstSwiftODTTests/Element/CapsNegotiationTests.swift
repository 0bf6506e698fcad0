import CODTGStreamer
import Testing

@testable import GstSwiftODT

@Suite struct CapsNegotiationTests {
    private static func apply(
        _ text: String, _ transform: (UnsafeMutablePointer<GstCaps>) -> UnsafeMutablePointer<GstCaps>
    ) -> String {
        _ = ElementHarness.isReady
        let caps = gst_caps_from_string(text)!
        let result = transform(caps)
        let string = gst_caps_to_string(result)!
        defer {
            g_free(string)
            gst_caps_unref(caps)
            gst_caps_unref(result)
        }
        return String(cString: string).replacing(" ", with: "").replacing("(string)", with: "")
    }

    private static func negotiation(_ change: (inout Settings) -> Void) -> CapsNegotiation {
        var settings = Settings()
        settings.detector = .upstream
        change(&settings)
        return CapsNegotiation(settings)
    }

    private static let (plain, overlay) = (
        "video/x-raw,format=I420", "video/x-raw(memory:SystemMemory,meta:GstVideoOverlayComposition),format=I420"
    )
    private static let (device, both) = (
        "video/x-raw(memory:Device),format=X", "video/x-raw(memory:Device,meta:GstVideoOverlayComposition),format=X"
    )

    @Test func blendKeepsSystemMemoryCapsOnly() {
        let negotiation = Self.negotiation { $0.drawMode = .blend }
        for caps in [Self.plain, Self.overlay] {
            #expect(Self.apply(caps, negotiation.output) == caps)
            #expect(Self.apply(caps, negotiation.input) == caps)
        }
        #expect(Self.apply(Self.device, negotiation.output) == "EMPTY")
        #expect(Self.apply("video/x-raw,format=v210", negotiation.output) == "EMPTY")
    }

    @Test func overlayModesAddOverlayFeatureToCaps() {
        for mode in [Settings.DrawMode.overlay, .auto] {
            let negotiation = Self.negotiation { $0.drawMode = mode }
            #expect(Self.apply(Self.plain, negotiation.output) == "\(Self.overlay);\(Self.plain)")
            #expect(Self.apply(Self.device, negotiation.output) == "\(Self.both);\(Self.device)")
            #expect(Self.apply(Self.overlay, negotiation.input) == "\(Self.plain);\(Self.overlay)")
        }
    }

    /// With `auto`, frames in device memory need an element that blends.
    @Test func autoOffersDeviceMemoryWithOverlaysOnly() {
        let auto = Self.negotiation { $0.drawMode = .auto }
        #expect(Self.apply(Self.device, auto.input) == "EMPTY")
        #expect(Self.apply(Self.both, auto.input) == "\(Self.device);\(Self.both)")
        let overlay = Self.negotiation { $0.drawMode = .overlay }
        #expect(Self.apply(Self.device, overlay.input) == Self.device)
    }

    /// These are the caps of the pad templates.
    @Test func anyMemoryIsKeptByAutoAndRefusedByBlend() {
        let caps = "video/x-raw(ANY),format=X"
        let auto = Self.negotiation { $0.drawMode = .auto }
        #expect(Self.apply(caps, auto.input) == caps && Self.apply(caps, auto.output) == caps)
        let blend = Self.negotiation { $0.drawMode = .blend }
        #expect(Self.apply(caps, blend.input) == "EMPTY" && Self.apply(caps, blend.output) == "EMPTY")
    }

    @Test func autoPrefersCapsWithOverlays() {
        let negotiation = Self.negotiation { $0.drawMode = .auto }
        let preferred = Self.apply("\(Self.plain);\(Self.overlay)") { negotiation.preferred(gst_caps_copy($0)) }
        #expect(preferred == Self.overlay)
    }
}
