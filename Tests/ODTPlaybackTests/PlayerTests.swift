import CODTGStreamer
import GstFrames
import ODTTestSupport
import SwiftODT
import Testing

@testable import ODTPlayback

@Suite struct PlayerTests {
    init() { gst_init(nil, nil) }

    @Test func endOfStreamIsComplete() throws {
        let player = Player(try Pipeline("fakesrc num-buffers=3 ! fakesink")) { _ in }
        let ending = player.play { _ in }
        #expect(ending.isWhole)
        #expect(ending.failure == nil)
        #expect(player.stop())
    }

    /// GStreamer would read only the text before the character, without the elements that the caller expects.
    @Test func descriptionWithNULCharacterIsAnError() throws {
        #expect(throws: PlaybackError.self) { try Pipeline("fakesrc ! \0 fakesink") }
    }

    /// The generated name of the pipeline is not a part of the text, so the text is the same at each attempt.
    @Test func refusalIsTheFailure() throws {
        let pipeline = try Pipeline("fakesrc ! fakesink")
        let player = Player(pipeline) { _ in }
        pipeline.refuse("no video", .invalidFile)
        let ending = player.play { _ in }
        #expect(ending.failure == "no video" && ending.reason == .invalidFile)
        #expect(player.stop() && player.hasStopped.read { $0 })
    }

    /// decodebin can drop the error of a demuxer that finds no stream. In this test, the pipeline drops it.
    @Test(.timeLimit(.minutes(1))) func fileWithoutStreamsIsAnErrorIfItsMessageIsLost() throws {
        let folder = try TemporaryFolder()
        let pipeline = try Pipeline("filesrc name=source ! decodebin ! fakesink")
        pipeline["source"].setFile(try folder.write("cut.mp4", Self.movieWithoutHeader))
        pipeline.interceptMessages { message in
            guard message.pointee.type == GST_MESSAGE_ERROR else { return true }
            gst_message_unref(message)
            return false
        }
        let player = Player(pipeline) { _ in }
        let ending = player.play { _ in }
        #expect(ending.failure?.contains("qtdemux found no stream") == true && ending.reason == .invalidFile)
        #expect(player.stop())
        withExtendedLifetime(folder) {}
    }

    /// The start of an MP4 file: the boxes `ftyp` and `mdat`. The box `moov` is missing.
    private static let movieWithoutHeader =
        Array("\0\0\0\u{18}ftypisom\0\0\u{2}\0isommp41\0\0\u{7f}\0mdat".utf8) + [UInt8](repeating: 0, count: 1000)

    @Test func stoppedPlayerDoesNotStart() throws {
        let pipeline = try Pipeline("fakesrc ! fakesink")
        let player = Player(pipeline) { _ in }
        #expect(player.stop())
        player.start()
        #expect(pipeline.top.pointee.current_state == GST_STATE_NULL)
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

    @Test(.timeLimit(.minutes(1))) func messagesDoNotDelayTheEnd() throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        let player = Monitor<Player?>(nil)
        var configuration = Player.Configuration()
        configuration.endsAtSignals = false
        configuration.hasBegun = { false }
        configuration.end = {}
        configuration.tick = {
            for _ in 0..<2 { pipeline["source"].post(OwnedStructure(named: "test")) }
            player.read { $0 }?.askToEnd()
        }
        let made = Player(pipeline, configuration) { _ in }
        player.update { $0 = made }
        #expect(!made.play { _ in }.isWhole)
        made.stop()
        player.update { $0 = nil }
    }

    /// The elements drain after an error of an element on which the stream does not depend.
    @Test(
        arguments: [
            (["swiftodt"], .redactionNotGuaranteed, false, true), (["swiftodt"], .failed, false, false),
            (["encoder", "swiftodt"], .redactionNotGuaranteed, false, false),
            (["swiftodt"], .redactionNotGuaranteed, true, false),
        ] as [([String], ODTError.Reason, Bool, Bool)])
    func redactionFaultIsNotedUnlessEndWasRequestedBefore(
        failing: [String], reason: ODTError.Reason, endsBefore: Bool, isNoted: Bool
    ) throws {
        let pipeline = try Pipeline("fakesrc ! identity name=swiftodt ! identity name=encoder ! fakesink")
        var configuration = Player.Configuration()
        configuration.endsAtSignals = false
        configuration.end = {}
        configuration.survives = { $0 == "encoder" }
        configuration.hasStarted = {
            let code = ErrorCode.of(reason) ?? (gst_stream_error_quark(), Int32(GST_STREAM_ERROR_FAILED.rawValue))
            for name in failing {
                gst_element_message_full(
                    pipeline[name].pointer, GST_MESSAGE_ERROR, code.0, code.1, g_strdup("it failed"), nil, "", "", 0)
            }
        }
        let player = Player(pipeline, configuration) { _ in }
        if endsBefore { player.askToEnd() }
        let ending = player.play { _ in }
        #expect(ending.hasRedactionFault == isNoted && ending.failure == "\(failing[0]): it failed")
        player.stop()
    }

    /// Otherwise, the element merges results that a slow reader has not taken.
    @Test(.timeLimit(.minutes(1))) func postingThreadWaitsForReader() throws {
        let pipeline = try Pipeline("fakesrc name=source ! fakesink")
        let (player, posted) = (Monitor<Player?>(nil), Monitor(0))
        var configuration = Player.Configuration()
        configuration.endsAtSignals = false
        configuration.maximumUnread = 2
        configuration.hasStarted = {
            for _ in 0..<10 {
                pipeline["source"].post(OwnedStructure(named: "swiftodt-test"))
                posted.update { $0 += 1 }
            }
            player.read { $0 }?.askToEnd()
        }
        let made = Player(pipeline, configuration) { _ in }
        player.update { $0 = made }
        var read = 0
        let ending = made.play { _ in
            if read == 0 { _ = posted.wait(until: MonotonicClock.now + 200_000_000) { $0 > 2 ? () : nil } }
            #expect(posted.read { $0 } <= read + 2)
            read += 1
        }
        #expect(read == 10 && ending.isWhole)
        made.stop()
        player.update { $0 = nil }
    }

    /// A decodebin that is stopped while it adds an element crashes.
    @Test func dataLeavesDecodebinBeforeItIsStopped() throws {
        let pipeline = try Pipeline("fakesrc name=source sizetype=fixed sizemax=9 ! queue ! decodebin name=decoder")
        let (inside, released) = (Monitor(false), Monitor(false))
        let left = Monitor(false)
        // This probe holds the first buffer inside decodebin.
        let pad = try #require(pipeline["decoder"].pad("sink"))
        pad.watchBuffers { _ in
            inside.update { $0 = true }
            _ = released.wait(until: MonotonicClock.now + 10_000_000_000) { $0 ? () : nil }
            left.update { $0 = true }
            return .ok
        }
        gst_element_set_state(pipeline.top, GST_STATE_PLAYING)
        #expect(inside.wait(until: MonotonicClock.now + 10_000_000_000) { $0 ? () : nil } != nil)
        let isIsolated = Monitor(false)
        DetachedThread.run {
            pipeline.isolateDecoders(within: 10_000_000_000)
            isIsolated.update { $0 = true }
        }
        #expect(isIsolated.wait(until: MonotonicClock.now + 100_000_000) { $0 ? () : nil } == nil)
        released.update { $0 = true }
        #expect(isIsolated.wait(until: MonotonicClock.now + 10_000_000_000) { $0 ? () : nil } != nil)
        #expect(left.read { $0 })
        gst_element_set_state(pipeline.top, GST_STATE_NULL)
    }
}
