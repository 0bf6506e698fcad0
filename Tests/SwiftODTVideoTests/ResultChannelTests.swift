import CODTGStreamer
import ODTPlayback
import SwiftODT
import Testing

@testable import SwiftODTVideo

/// Tests how results wait for the task.
@Suite struct ResultChannelTests {
    private static func message(_ name: String) -> PostedMessage {
        PostedMessage(gst_message_new_element(nil, gst_structure_new_empty(name)))
    }

    private static func post(_ frame: UInt64, to channel: ResultChannel) {
        channel.add(message("swiftodt-track"), timestamp: nil)
        channel.add(message("swiftodt"), timestamp: frame)
        channel.pass(timestamp: frame) { nil }
    }

    @Test func liveSourceDropsOldestResultsAndKeepsTheirEvents() async throws {
        try PluginSearch.startGStreamer()
        let channel = ResultChannel()
        channel.setLive()
        for frame in 0..<20 { Self.post(UInt64(frame), to: channel) }
        let entries = await channel.take()
        #expect(entries.map(\.timestamp) == Array(12..<20))
        #expect(entries[0].droppedResults == 12 && entries[0].messages.filter(\.isEvent).count == 13)
        #expect(entries[0].messages.count == 14 && entries[1].droppedResults == 0)
    }

    @Test func fileBlocksAtCapacityUntilTaskTakesResults() async throws {
        try PluginSearch.startGStreamer()
        let channel = ResultChannel()
        DetachedThread.run {
            for frame in 0..<100 { Self.post(UInt64(frame), to: channel) }
            channel.finish(.success(()))
        }
        var timestamps: [UInt64] = []
        while true {
            let entries = await channel.take()
            if entries.isEmpty { break }
            #expect(entries.count <= 9)
            timestamps += entries.map(\.timestamp)
        }
        #expect(timestamps == Array(0..<100))
    }

    /// A message retains the element that posted it.
    @Test func messagesAfterTheEndAreReleased() throws {
        try PluginSearch.startGStreamer()
        let channel = ResultChannel()
        channel.cancel()
        let isReleased = Monitor(false)
        let message = gst_message_new_element(nil, gst_structure_new_empty("swiftodt"))!
        gst_mini_object_weak_ref(
            UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self),
            { data, _ in Unmanaged<Monitor<Bool>>.fromOpaque(data!).takeUnretainedValue().update { $0 = true } },
            Unmanaged.passUnretained(isReleased).toOpaque())
        channel.add(PostedMessage(message), timestamp: 0)
        #expect(isReleased.read { $0 })
    }

    @Test func fileKeepsAllResultsThatOneFrameReleases() async throws {
        try PluginSearch.startGStreamer()
        let channel = ResultChannel()
        for frame in 0..<12 { channel.add(Self.message("swiftodt"), timestamp: UInt64(frame)) }
        channel.pass(timestamp: 11) { nil }
        let entries = await channel.take()
        #expect(entries.map(\.timestamp) == Array(0..<12) && entries.allSatisfy { $0.droppedResults == 0 })
    }

    @Test func resultWaitsForItsFrame() async throws {
        try PluginSearch.startGStreamer()
        let channel = ResultChannel()
        for frame in [10, 20, 30] as [UInt64] { channel.add(Self.message("swiftodt"), timestamp: frame) }
        let frame = try Frame(format: .gray8, width: 1, height: 1, bytes: [0])
        channel.pass(timestamp: 5) { frame }
        channel.pass(timestamp: 20) { frame }
        let entries = await channel.take()
        #expect(entries.map(\.timestamp) == [10, 20] && entries.map { $0.frame != nil } == [false, true])
        channel.warn("a warning")
        channel.finish(.failure(ODTError(.failed, "broken")))
        let rest = await channel.take()
        #expect(rest.map(\.timestamp) == [30, .max] && rest[1].warnings == ["a warning"])
        #expect(await channel.take().isEmpty && channel.failure?.description == "broken")
    }

    /// The times of a concatenated video begin again.
    @Test func resultsBeforeStepBackLeaveWithTheirFrames() async throws {
        try PluginSearch.startGStreamer()
        let channel = ResultChannel()
        let frame = try Frame(format: .gray8, width: 1, height: 1, bytes: [0])
        for time in [100, 110, 0] as [UInt64] { channel.add(Self.message("swiftodt"), timestamp: time) }
        channel.pass(timestamp: 100) { frame }
        #expect(await channel.take().map(\.timestamp) == [100])
        channel.pass(timestamp: 110) { frame }
        channel.pass(timestamp: 0) { frame }
        let entries = await channel.take()
        #expect(entries.map(\.timestamp) == [110, 0] && entries.allSatisfy { $0.frame != nil })
    }

    /// With `message-interval`, the message of an earlier frame is posted while a later frame is processed.
    @Test func deferredResultLeavesWithLaterFrame() async throws {
        try PluginSearch.startGStreamer()
        let channel = ResultChannel()
        let frame = try Frame(format: .gray8, width: 1, height: 1, bytes: [0])
        channel.pass(timestamp: 10) { frame }
        channel.add(Self.message("swiftodt"), timestamp: 10)
        channel.pass(timestamp: 20) { frame }
        let entries = await channel.take()
        #expect(entries.map(\.timestamp) == [10] && entries[0].frame == nil && !entries[0].isLate)
        channel.add(Self.message("swiftodt"), timestamp: 20)
        channel.finish(.success(()))
        #expect(await channel.take().map(\.isLate) == [true])
    }
}
