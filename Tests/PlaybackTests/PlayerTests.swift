import CGStreamer
import SwiftODT
import Testing

@testable import Playback

@Suite struct PlayerTests {
    init() { gst_init(nil, nil) }

    @Test func aStreamThatEndsIsWhole() throws {
        let player = Player(try Pipeline("fakesrc num-buffers=3 ! fakesink")) { _ in }
        let ending = player.play { _ in }
        #expect(ending.isWhole)
        #expect(ending.failure == nil)
        #expect(player.stop())
    }

    /// Nothing has begun, so nothing is waited for; what is written meanwhile has no end.
    @Test func aStreamThatIsEndedBeforeItBeginsIsNotWhole() throws {
        var configuration = Player.Configuration()
        configuration.hasBegun = { false }
        configuration.end = {}
        let player = Player(try Pipeline("fakesrc do-timestamp=true ! fakesink sync=true"), configuration) { _ in }
        player.askToEnd()
        let ending = player.play { _ in }
        #expect(!ending.isWhole)
        #expect(ending.failure == nil)
        player.stop()
    }
}
