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
}
