import ODTPlayback
import SwiftODT
import Testing

@Suite("Repeated messages")
struct RepeatedMessageFilterTests {
    private let logged = Monitor([String]())
    private var filter: RepeatedMessageFilter {
        RepeatedMessageFilter { [logged] text in logged.update { $0.append(text) } }
    }

    /// A decoder can post a warning for each frame, 25 times per second for days.
    @Test func repeatedMessagesAreLoggedHourlyWithCount() {
        let filter = filter
        for picture in 0..<(25 * 3600) {
            filter.notify("picture \(picture) is broken", now: Int64(picture) * 40_000_000)
        }
        filter.notify("picture 90000 is broken", now: RepeatedMessageFilter.pause)
        #expect(
            logged.read { $0 } == [
                "picture 0 is broken", "picture 90000 is broken (and 89999 times more since it was last logged)",
            ])
    }

    @Test func differentMessagesAreLoggedAtOnce() {
        let filter = filter
        for text in ["the stream ended", "reconnected", "the stream ended"] { filter.notify(text, now: 0) }
        #expect(logged.read { $0 } == ["the stream ended", "reconnected"])
    }

    @Test func messageThatIsAlwaysLoggedCountsAsLogged() {
        let filter = filter
        let calls: [(Nanoseconds, Bool)] = [(0, false), (1, false), (2, true), (3, false)]
        let answers = calls.map { time, always in filter.notify("lost", always: always, now: time) }
        #expect(answers == [true, false, true, false])
        #expect(logged.read { $0 } == ["lost", "lost (and 1 time more since it was last logged)"])
    }

    /// The number of remembered messages is bounded.
    @Test func oldMessagesAreDropped() {
        let filter = filter
        for number in 0..<1000 { filter.notify(String(repeating: "a", count: number), now: Int64(number)) }
        filter.notify("", now: 1000)
        #expect(logged.read { $0.count } == 1001)
    }
}
