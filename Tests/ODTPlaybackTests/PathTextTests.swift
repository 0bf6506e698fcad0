import SwiftODT
import Testing

@testable import ODTPlayback

/// File names that are not valid UTF-8 occur on old cameras and on disks of other systems.
@Suite struct PathTextTests {
    @Test(
        arguments: [
            Array("holiday.mp4".utf8), Array("\u{fc} \u{1f600}".utf8), [0x63, 0xe9, 0x2e, 0x6d],
            [0xff, 0xc3, 0x28, 0xe2, 0x82],
            [0xf4, 0x8f, 0xb8], [],
        ] as [[UInt8]])
    func bytesRoundTrip(bytes: [UInt8]) {
        #expect(PathText.bytes(of: PathText.text(of: bytes)) == bytes)
    }

    @Test func onlyInvalidUTF8IsEscaped() {
        #expect(PathText.text(of: Array("\u{fc}.mp4".utf8)) == "\u{fc}.mp4")
        #expect(PathText.isUTF8("\u{fc}.mp4"))
        #expect(!PathText.isUTF8(PathText.text(of: [0xe9])))
    }
}
