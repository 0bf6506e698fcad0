import CGStreamer
import SwiftODT
import Testing

@testable import Playback

@Suite struct PlayerTests {
    init() { gst_init(nil, nil) }

    @Test func endOfStreamIsComplete() throws {
        let player = Player(try Pipeline("fakesrc num-buffers=3 ! fakesink")) { _ in }
        let ending = player.play { _ in }
        #expect(ending.isWhole)
        #expect(ending.failure == nil)
        #expect(player.stop())
    }

    /// Before the first output there is nothing to complete, so the player does not wait and the output counts as
    /// incomplete.
    @Test func streamThatIsEndedBeforeFirstOutputIsIncomplete() throws {
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
