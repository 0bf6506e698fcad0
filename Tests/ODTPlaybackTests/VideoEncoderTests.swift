import CODTGStreamer
import ODTPlayback
import Testing

@Suite("VideoEncoder")
struct VideoEncoderTests {
    @Test func encoderThatCannotEncodeVP9IsAnError() throws {
        let quality = VideoEncoder.Quality(percent: VideoEncoder.Quality.usual)
        for requested in ["auto", "software", "vp9enc"] {
            #expect(try VideoEncoder.choose(.vp9, requested: requested, quality: quality).element == "vp9enc")
        }
        #expect(throws: PlaybackError.self) { try VideoEncoder.choose(.vp9, requested: "x264enc", quality: quality) }
    }

    /// GStreamer ignores a value out of range, so that the default applies.
    @Test func quantizerOfX264DoesNotRiseWithQuality() throws {
        gst_init(nil, nil)
        let quantizers = try (0...100).map { percent -> Int in
            let encoder = VideoEncoder.software.description(quality: .init(percent: percent), isLive: false)
            let pipeline = try Pipeline("\(encoder) ! fakesink")
            return try #require(Int(pipeline["encoder"].text(of: "quantizer")))
        }
        #expect(quantizers.first == 50 && quantizers.last == 11 && quantizers == quantizers.sorted(by: >))
    }
}
